// The cost of a launch, and whether it currently fits, without launching. Names, coupon and quantity are checked by the
// functions of a launch (plan.ts), so a quote equals the launch.
//
// Invariant: the price of `quantity` instances is `quantity` times what one of them is billed. Capacity is as of now
// and not reserved; quotas and spend limits are not checked.

import type { Database } from "../../database/connect.ts";
import { ask } from "../../database/round-trips.ts";
import { costMicroCents, type MicroCents, type Price } from "../../rules/cost.ts";
import type { ReturningGpus } from "../../rules/gpu-return.ts";
import { latestEndMs, roomFor } from "../capacity/line.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { offers } from "../catalog/offers.ts";
import { allRegions, type Region, regionAsked } from "../catalog/region-store.ts";
import { type Coupon, redeem } from "../coupons/coupons.ts";
import { invalid } from "../errors.ts";
import { readReturning } from "../gpus/returning.ts";
import type { HostSelector } from "../hosts/labels.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import { checkQuantity, fieldOf, type LaunchFields } from "./order.ts";
import { priced } from "./plan.ts";

/** Every one is counted. */
const most = Number.MAX_SAFE_INTEGER;

/** A price per month is for a twelfth of a year. */
export const hoursOfMonth = 730;

export interface QuoteOrder {
  readonly instanceType: string;
  /** "any" for the best one. */
  readonly region: string;
  readonly quantity: number;
  readonly coupon: string | undefined;
  /** Only on hosts with these labels; undefined: on any. */
  readonly hostSelector?: HostSelector | undefined;
  /** At the spot price. Default: false. */
  readonly spot?: boolean | undefined;
  /** From the start of billing. Null, the default: unlimited. */
  readonly lifetimeSeconds?: number | null | undefined;
  readonly fields: LaunchFields;
}

/** For all of the quantity. */
interface Costs {
  readonly beforeDiscount: MicroCents;
  readonly after: MicroCents;
}

export interface Quote {
  /** With the price of this launch. */
  readonly product: InstanceType;
  readonly coupon: Coupon | undefined;
  readonly hourly: Costs;
  readonly monthly: Costs;
  /** Where a launch would be now; undefined: the requested region does not have enough capacity. */
  readonly regionChosen: Region | undefined;
  /** Every region with capacity for all of the quantity, by name, and for how many. */
  readonly fitsIn: readonly (Region & { readonly capacityAvailable: number })[];
  /** If it does not fit: GPUs that are being reset or validated in the regions that count, by when they are expected back. */
  readonly returning: readonly (ReturningGpus & { readonly region: string })[];
}

/** Throws RentalError invalid-parameters, unknown-name, coupon-refused: as a launch would. */
export async function quote(db: Database, service: Service, order: QuoteOrder): Promise<Quote> {
  const { quantity, spot: isSpot, lifetimeSeconds = null } = order;
  const problem = checkQuantity(quantity, service.limits);
  if (problem !== undefined) throw invalid(fieldOf(order, "quantity"), problem);
  const products = await ask(db, instanceTypesNamed(db, [order.instanceType]));
  const product = priced(productNamed(products, order.instanceType, fieldOf(order, "instanceType")), order);
  const known = await ask(db, allRegions(db));
  const region = regionAsked(known, order.region, fieldOf(order, "region"));
  const coupon = order.coupon === undefined ? undefined : await redeem(db, order.coupon, product.name);
  const offer = (await offers(db, service)).find((one) => one.product.name === product.name);
  const bound = order.hostSelector && { labels: order.hostSelector };
  const capacity = service.capacity.order;
  const turn = { isSpot, endsMs: latestEndMs(lifetimeSeconds, service.limits.bootSeconds) };
  // The offer counts all hosts, for what is not spot and has no end.
  const isAsOffered = bound === undefined && isSpot !== true && turn.endsMs === undefined;
  const regions = isAsOffered
    ? (offer?.regions ?? [])
    : capacity
        .capacityByRegion(product, most, bound, (host) => roomFor(host, turn, capacity.lines))
        .flatMap(({ region: name, fits }) => {
          const found = known.get(name);
          return found === undefined ? [] : [{ ...found, capacityAvailable: fits }];
        });
  const fitsIn = regions.filter(({ capacityAvailable }) => capacityAvailable >= quantity);
  // The order in which a launch searches regions.
  const wanted = region === undefined ? capacity.regions(product, bound) : [region];
  const chosen = wanted.flatMap((name) => fitsIn.find((one) => one.name === name) ?? [])[0];
  const searched = region === undefined ? [...known.keys()].sort() : [region];
  const price = {
    priceCentsPerHour: product.priceCentsPerHour,
    discountBasisPoints: coupon?.discountBasisPoints ?? 0,
  };
  return {
    product,
    coupon,
    hourly: costsOf(price, quantity, 1),
    monthly: costsOf(price, quantity, hoursOfMonth),
    regionChosen: chosen && { name: chosen.name, description: chosen.description },
    fitsIn,
    returning: chosen === undefined ? await returningIn(db, product, searched, order.hostSelector) : [],
  };
}

async function returningIn(
  db: Database,
  { gpuModel }: InstanceType,
  regions: readonly string[],
  selector: HostSelector | undefined,
): Promise<Quote["returning"]> {
  if (gpuModel === null) return [];
  const returning = await readReturning(db, { model: gpuModel, selector });
  return regions.flatMap((region) => returning.of(region, gpuModel).map((one) => ({ region, ...one })));
}

function costsOf(price: Price, quantity: number, hours: number): Costs {
  const of = (discountBasisPoints: number) =>
    BigInt(quantity) * costMicroCents({ ...price, discountBasisPoints, seconds: hours * 3600 });
  return { beforeDiscount: of(0), after: of(price.discountBasisPoints) };
}
