// Plans launches: looks up everything their orders name, and checks every rule that needs neither capacity nor an
// account's lock. Many at once take as few statements as one, except for rare cases (coupons, file systems, spend
// limits). Used by launch.ts. Source: specification, Endpoints (launch); decisions, Launch.

import { randomUUID } from "node:crypto";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import { checkIdleRule } from "../../rules/idle.ts";
import { onHold } from "../accounts/holds.ts";
import { type LaunchBounds, launchBounds, lifetimeWithin, unbounded } from "../billing/launch-limits.ts";
import { type LaunchCost, launchCostOf, type SpendRoom, spendRoom } from "../billing/spend-room.ts";
import type { PlacementRequest } from "../capacity/assign.ts";
import { latestEndMs } from "../capacity/line.ts";
import { chosenImage } from "../catalog/image-choice.ts";
import { allImages, type Image } from "../catalog/image-store.ts";
import { instanceTypesNamed, productNamed } from "../catalog/instance-type-store.ts";
import { allRegions, type Region, regionAsked } from "../catalog/region-store.ts";
import { type Coupon, redeem } from "../coupons/coupons.ts";
import { invalid, RentalError } from "../errors.ts";
import { commonPlace } from "../file-systems/common-place.ts";
import { refuseUnusable } from "../file-systems/file-systems.ts";
import { type LaunchRuleset, rulesetsById } from "../firewall/ruleset-store.ts";
import type { InstanceType } from "../instances/instance.ts";
import { type Reserved, reservedFor } from "../reservations/use.ts";
import type { Principal, RentalLimits } from "../service.ts";
import type { SshKey } from "../ssh-keys/ssh-key.ts";
import { keysWanted, wantedKeys } from "../ssh-keys/wanted-keys.ts";
import { driverBranchOn } from "./driver-branch.ts";
import { fileSystemsOf, type MountedFileSystem } from "./mounts.ts";
import { checkOrder, fieldOf, type LaunchOrder } from "./order.ts";

/** A requested launch. */
export interface Asked {
  readonly principal: Principal;
  readonly order: LaunchOrder;
  /** Of one that waited; undefined: it comes behind all that wait. */
  readonly position?: number | undefined;
  /** The end of its wait, also if it is placed at once: its instances wait for capacity of their engine. Undefined: none. */
  readonly waitsUntil?: Date | undefined;
}

/**
 * A launch that succeeds if there is capacity and the account's limits allow it. As a placement request, it says how
 * much capacity.
 */
export interface LaunchPlan extends Asked, PlacementRequest {
  readonly image: Image;
  readonly keys: readonly SshKey[];
  readonly fileSystems: readonly MountedFileSystem[];
  readonly firewallRulesets: readonly LaunchRuleset[];
  readonly coupon: Coupon | undefined;
  /** All regions, by name. */
  readonly regions: ReadonlyMap<string, Region>;
  /** The row with its user data, a new one if the order has some; undefined: none. */
  readonly userDataId: string | undefined;
  /** Null: unlimited. */
  readonly maxLifetimeSeconds: number | null;
  /** The reservation that it uses, whose end is that of its instances; undefined: none. */
  readonly reserved: Reserved | undefined;
  readonly bounds: LaunchBounds;
  readonly cost: LaunchCost;
}

/** What the orders name, of all accounts. */
interface Known {
  readonly products: ReadonlyMap<string, InstanceType>;
  readonly regions: ReadonlyMap<string, Region>;
  readonly images: readonly Image[];
  /** By account. */
  readonly keys: ReadonlyMap<string, readonly SshKey[]>;
  /** By token. */
  readonly bounds: ReadonlyMap<string, LaunchBounds>;
  readonly spendRoom: SpendRoom;
}

/** The queries that planning needs for these launches: to be sent `together`, also with others. */
export function launchQuestions(tx: Transaction, asked: readonly Asked[]) {
  return [
    instanceTypesNamed(
      tx,
      asked.map(({ order }) => order.instanceType),
    ),
    allRegions(tx),
    allImages(tx),
    keysWanted(asked.map(({ principal, order }) => ({ accountId: principal.accountId, ...keysOf(order) }))),
    launchBounds(asked.map(({ principal }) => principal)),
  ] as const;
}

/** The answers to `launchQuestions`. */
export type Named = readonly [Known["products"], Known["regions"], Known["images"], Known["keys"], Known["bounds"]];

/**
 * A plan for each, or its RentalError: invalid-parameters, unknown-name, coupon-refused, image-not-supported, conflict
 * (a file system attached elsewhere, a reservation that is not active), spend-limit-exceeded, insufficient-balance. In
 * order. `named`: the answers to `launchQuestions` for these launches, or for more.
 */
export async function planLaunches(
  tx: Transaction,
  limits: RentalLimits,
  asked: readonly Asked[],
  [products, regions, images, keys, bounds]: Named,
): Promise<(LaunchPlan | RentalError)[]> {
  // Checked again when the accounts are locked (place.ts); this check can avoid the search for capacity.
  const principals = asked.map(({ principal }) => principal);
  const left = await spendRoom(tx, principals, bounds, limits);
  const known: Known = { products, regions, images, keys, bounds, spendRoom: left };
  const plans: (LaunchPlan | RentalError)[] = [];
  for (const one of asked) plans.push(await refusalAsValue(() => plan(tx, limits, one, known)));
  return plans;
}

async function plan(tx: Transaction, limits: RentalLimits, asked: Asked, known: Known): Promise<LaunchPlan> {
  const { principal, order } = asked;
  checkOrder(order, limits);
  const reserved = await reservedFor(tx, principal, order);
  const product =
    reserved?.product ??
    priced(productNamed(known.products, order.instanceType, fieldOf(order, "instanceType")), order);
  const { regions } = known;
  const askedRegion = regionAsked(regions, reserved?.region ?? order.region, fieldOf(order, "region"));
  const choice = { images: known.images, regions: regions.keys(), region: order.region };
  const imageFields = { image: fieldOf(order, "image"), instanceType: fieldOf(order, "instanceType") };
  const image = chosenImage(choice, order.image, product, imageFields);
  refuseIdleRule(order, product, image);
  const keys = wantedKeys(known.keys.get(principal.accountId) ?? [], keysOf(order), fieldOf(order, "sshKeyNames"));
  const fileSystems = await fileSystemsOf(tx, principal, order);
  // Before the search for capacity: otherwise insufficient capacity could be reported instead.
  refuseUnusable(fileSystems, order.fileSystemUse?.shared === true);
  const coupon = order.coupon === undefined ? undefined : await redeem(tx, order.coupon, product.name);
  const firewallRulesets = await rulesetsById(
    tx,
    principal,
    order.firewallRulesetIds ?? [],
    fieldOf(order, "firewallRulesetIds"),
  );
  const region = regionFor(order, askedRegion, fileSystems, firewallRulesets);
  const place = commonPlace(fileSystems, fieldOf(order, "fileSystemNames"));
  const { hostSelector: labels } = order;
  const driverBranch = await driverBranchOn(tx, image, product, region, fieldOf(order, "image"));
  const labelled = labels === undefined ? place : { ...place, labels };
  const bound = driverBranch === undefined ? labelled : { ...labelled, driverBranch };
  const bounds = known.bounds.get(principal.tokenId) ?? unbounded;
  const maxLifetimeSeconds = lifetimeWithin(bounds, order.maxLifetimeSeconds, fieldOf(order, "maxLifetimeSeconds"));
  const price = {
    priceCentsPerHour: product.priceCentsPerHour,
    discountBasisPoints: coupon?.discountBasisPoints ?? 0,
  };
  const cost = launchCostOf(price, order.quantity, limits);
  if (bounds.isHeld) throw onHold(cost.ahead);
  const overLimit = known.spendRoom.refusalOf(principal, cost);
  // What a reservation pays for costs nothing more.
  if (overLimit !== undefined && reserved === undefined) throw overLimit;
  refuseDearer(product, order);
  // Not version 7: clients shorten ids to the first eight digits, which would be equal for a minute.
  const instanceIds = Array.from({ length: order.quantity }, () => randomUUID());
  const userDataId = order.userData === undefined ? order.userDataId : uuidv7();
  const found = { product, region, regions, image, keys, fileSystems, firewallRulesets, coupon };
  const endsMs = latestEndMs(maxLifetimeSeconds, limits.bootSeconds);
  const turn = { endsMs, isSpot: order.spot === true, reservation: reserved?.id };
  return { ...asked, ...found, ...turn, bound, bounds, cost, maxLifetimeSeconds, reserved, instanceIds, userDataId };
}

/** The type with the price that the launch pays. Throws RentalError invalid-parameters if it is not offered as spot. */
export function priced(product: InstanceType, order: Pick<LaunchOrder, "spot" | "fields">): InstanceType {
  if (order.spot !== true) return product;
  const { name, spotPriceCentsPerHour: price } = product;
  if (price !== null) return { ...product, priceCentsPerHour: price };
  throw invalid(fieldOf(order, "spot"), `${name} has no spot price. Launch it without spot, or choose another type.`);
}

/** A rule that could never be applied is a mistake. */
function refuseIdleRule(order: LaunchOrder, { gpus }: InstanceType, { metrics: hasMetrics }: Image): void {
  const problem = (order.idleRule ?? null) === null ? undefined : checkIdleRule({ gpus, hasMetrics });
  if (problem !== undefined) throw invalid(fieldOf(order, "idleRule"), problem);
}

/** Checks the price that is frozen into the instances. */
function refuseDearer({ name, priceCentsPerHour: price }: InstanceType, order: LaunchOrder): void {
  const { maxPriceCentsPerHour: most } = order;
  if (most === undefined || price <= most) return;
  const message = `${name} costs ${price} cents per hour, which is more than ${most}: nothing was launched.`;
  throw invalid(
    fieldOf(order, "maxPriceCentsPerHour"),
    `${message} Choose a cheaper instance type, or raise the maximum price.`,
  );
}

function keysOf({ sshKeyNames, sshKeysByText = false }: LaunchOrder) {
  return { names: sshKeyNames, byText: sshKeysByText };
}

/** File systems and rulesets are in one region, so the instance must be there; "any" then means that one. */
function regionFor(
  order: LaunchOrder,
  asked: string | undefined,
  fileSystems: readonly MountedFileSystem[],
  rulesets: readonly LaunchRuleset[],
): string | undefined {
  const region = asked ?? fileSystems[0]?.region ?? rulesets[0]?.region;
  const volume = fileSystems.find((one) => one.region !== region);
  if (volume !== undefined) {
    const { field, name, region: itsRegion } = volume;
    throw new RentalError("file-system-in-wrong-region", { field, name, region: itsRegion });
  }
  const ruleset = rulesets.find((one) => one.region !== region);
  if (ruleset !== undefined) {
    throw invalid(
      fieldOf(order, "firewallRulesetIds"),
      `Firewall ruleset ${ruleset.name} is in region ${ruleset.region}.`,
    );
  }
  return region;
}

async function refusalAsValue<T>(work: () => Promise<T>): Promise<T | RentalError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RentalError) return error;
    throw error;
  }
}
