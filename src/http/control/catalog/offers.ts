// Control interface: what can be rented now, and what a launch would cost. For consoles and command lines.

import { Type } from "typebox";
import { boundsOf, lifetimeWithin } from "../../../rental/billing/launch-limits.ts";
import { listInstanceTypes } from "../../../rental/catalog/instance-type-store.ts";
import { type Offer as CatalogOffer, offers as catalogOffers } from "../../../rental/catalog/offers.ts";
import { anyRegion, listRegions, type Region } from "../../../rental/catalog/region-store.ts";
import { type IsOffered, whereOffered } from "../../../rental/catalog/where-offered.ts";
import { type Returning, readReturning } from "../../../rental/gpus/returning.ts";
import { namesInUse as instanceNamesInUse } from "../../../rental/launching/names-in-use.ts";
import {
  hoursOfMonth,
  type Quote as OrderQuote,
  type QuoteOrder,
  quote as quoteOrder,
} from "../../../rental/launching/quote.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import { sampleInstance, sampleOffer } from "../../api/samples.ts";
import { RegionName } from "../../api/schema.ts";
import { AppliedCoupon, Cost, cost, costFields, percent } from "../billing/money.ts";
import * as field from "../fields.ts";
import { exampleReturning, returning, returningByRegion, returningView } from "../gpus/returning.ts";
import { HostSelectorText, hostSelectorFrom, refuseSelector } from "../host-selector.ts";
import { InstanceType, instanceTypeView } from "./instance-types.ts";

const RegionWithRoom = Type.Object(
  {
    name: field.name("us-east-1"),
    description: Type.String(),
    available: Type.Integer({ description: "Number of instances of the type that fit there now." }),
  },
  { title: "RegionWithRoom" },
);

const RegionOfOffer = Type.Object(
  {
    ...RegionWithRoom.properties,
    offered: Type.Boolean({
      description: "Whether any host there can run the type: false if the region does not have the GPU model.",
    }),
    returning: returning(),
  },
  { title: "RegionOfOffer" },
);

const Offer = Type.Object(
  {
    instance_type: InstanceType,
    available: Type.Integer({ description: "Number of instances that fit now, in all regions together." }),
    regions: Type.Array(RegionOfOffer, { description: "All regions, by name, also those without capacity." }),
  },
  { title: "Offer" },
);

const Costs = Type.Object(
  {
    before_discount: Cost,
    after: Type.Object(cost, { title: "Cost", description: "With the coupon, if any." }),
  },
  { title: "QuotedCost" },
);

const Quote = Type.Object(
  {
    instance_type: field.name("gpu_1x_h100_pcie"),
    region: field.orNull(Type.String(), "The requested region. Null means any region."),
    quantity: Type.Integer(),
    spot: Type.Boolean({ description: "Whether it is for spot instances." }),
    list_price_cents_per_hour: Type.Integer({ description: "For one instance, before a coupon." }),
    coupon: field.orNull(AppliedCoupon),
    hourly: Costs,
    monthly: Costs,
    fits: Type.Boolean({ description: "Whether all of them fit now, in one region." }),
    region_chosen: field.orNull(Type.String(), "The region of the launch; null if they do not fit."),
    fits_in: Type.Array(RegionWithRoom, { description: "Regions with capacity for all of them, by name." }),
    returning: returningByRegion(),
    names_in_use: Type.Array(Type.String(), {
      description: "Names of the launch that your live instances already have. Names need not be unique.",
    }),
  },
  { title: "Quote" },
);

const QuoteQuery = Type.Object({
  instance_type: Type.String({
    ...limit.name,
    description: "The name of an instance type.",
    examples: ["gpu_1x_h100_pcie"],
  }),
  region: Type.Optional(RegionName),
  quantity: Type.Optional(Type.Integer({ ...limit.quantity, minimum: 1, description: "Default: 1." })),
  coupon: Type.Optional(Type.String({ ...limit.coupon, description: "Its code." })),
  name: Type.Optional(
    Type.String({
      ...limit.instanceName,
      description: "Of the instances, as in a launch.",
      examples: ["training"],
    }),
  ),
  host_selector: Type.Optional(HostSelectorText),
  spot: Type.Optional(Type.Boolean({ description: "Whether at the spot price. Default: false." })),
  max_lifetime_seconds: Type.Optional(
    field.lifetime(
      "As in a launch. What ends in time can have capacity that is kept for others. Default and maximum: the account's.",
    ),
  ),
});

const tag = "Offers";

const sampleCoupon = {
  code: "SPRING10",
  discountBasisPoints: 1000,
  deactivationDate: new Date("2027-01-01T00:00:00.000Z"),
  instanceTypes: [],
  active: true,
};

export function offerRoutes(api: Api): void {
  api.get(
    "/offers",
    {
      id: "listOffers",
      tag,
      summary: "List what can be rented",
      description:
        "Every instance type by name, with its price, the number of instances that fit in each region now, and the GPUs " +
        "that are being reset or validated there.",
      scope: ["read", "operator"],
      query: Type.Object(pageQuery),
      cached: "catalog",
      answer: field.many(Offer),
      example: {
        answer: { data: [offerView(sampleOffer, sampleOffer.regions, () => true, { of: () => exampleReturning })] },
      },
    },
    async ({ db, service, page, validUntil }) => {
      const products = await page(byName, (window) => listInstanceTypes(db, window));
      const regions = await listRegions(db);
      const isOffered = await whereOffered(db);
      const back = await readReturning(db);
      validUntil(back.validUntilMs);
      // Of all products, also for one page: the capacity cache is kept current for a constant set.
      const offers = new Map((await catalogOffers(db, service)).map((offer) => [offer.product.name, offer]));
      return {
        data: products.flatMap(({ name }) => {
          // Missing only if the product was deleted between two statements.
          const offer = offers.get(name);
          return offer === undefined ? [] : [offerView(offer, regions, isOffered, back)];
        }),
      };
    },
  );

  api.get(
    "/quote",
    {
      id: "getQuote",
      tag,
      summary: "Quote a launch",
      description:
        `The cost of a launch per hour and per month (${hoursOfMonth} hours), for its whole quantity, and ` +
        "whether it fits now. Rejected if the launch would be rejected for an unknown name or a coupon that does not " +
        "apply. Does not check quotas and spend limits, and reserves no capacity.",
      query: QuoteQuery,
      answer: field.one(Quote),
      example: {
        answer: {
          data: quoteView(
            { region: "any", quantity: 2 },
            {
              product: sampleOffer.product,
              coupon: sampleCoupon,
              hourly: { beforeDiscount: 498_000_000n, after: 448_200_000n },
              monthly: { beforeDiscount: 363_540_000_000n, after: 327_186_000_000n },
              regionChosen: sampleInstance.region,
              fitsIn: sampleOffer.regions,
              returning: [],
            },
            ["training-1"],
          ),
        },
      },
      errors: ["unknown-name", "coupon-refused"],
    },
    async ({ db, service, principal, query }) => {
      const { instance_type: instanceType, region = anyRegion, quantity = 1, coupon, name } = query;
      refuseSelector(principal, query.host_selector);
      const hostSelector = query.host_selector === undefined ? undefined : hostSelectorFrom(query.host_selector);
      const fields = { instanceType: "instance_type", region: "region", quantity: "quantity" };
      const { spot = false, max_lifetime_seconds: seconds } = query;
      const lifetimeSeconds = lifetimeWithin(await boundsOf(db, principal), seconds, "max_lifetime_seconds");
      const order = { instanceType, region, quantity, coupon, hostSelector, spot, lifetimeSeconds, fields };
      const quoted = await quoteOrder(db, service, order);
      const taken =
        name === undefined ? [] : await instanceNamesInUse(db, principal, { name, quantity, field: "name" });
      return { data: quoteView(order, quoted, taken) };
    },
  );
}

function offerView(
  { product, capacityAvailable, regions: withRoom }: CatalogOffer,
  regions: readonly Region[],
  isOffered: IsOffered,
  back: Pick<Returning, "of">,
) {
  return {
    instance_type: instanceTypeView(product),
    available: capacityAvailable,
    regions: regions.map(({ name, description }) => ({
      name,
      description,
      available: withRoom.find((one) => one.name === name)?.capacityAvailable ?? 0,
      offered: isOffered(product, name),
      returning: returningView(back.of(name, product.gpuModel)),
    })),
  };
}

function quoteView(
  { region, quantity, spot = false }: Pick<QuoteOrder, "region" | "quantity" | "spot">,
  quote: OrderQuote,
  namesInUse: readonly string[],
) {
  const { product, coupon, regionChosen } = quote;
  return {
    instance_type: product.name,
    region: region === anyRegion ? null : region,
    quantity,
    spot,
    list_price_cents_per_hour: product.priceCentsPerHour,
    coupon: coupon === undefined ? null : { code: coupon.code, discount_percent: percent(coupon.discountBasisPoints) },
    hourly: costsView(quote.hourly),
    monthly: costsView(quote.monthly),
    fits: regionChosen !== undefined,
    region_chosen: regionChosen?.name ?? null,
    fits_in: quote.fitsIn.map(({ name, description, capacityAvailable }) => ({
      name,
      description,
      available: capacityAvailable,
    })),
    returning: quote.returning.flatMap(({ region: name, ...one }) =>
      returningView([one]).map((batch) => ({ region: name, ...batch })),
    ),
    names_in_use: [...namesInUse],
  };
}

function costsView({ beforeDiscount, after }: OrderQuote["hourly"]) {
  return { before_discount: costFields(beforeDiscount), after: costFields(after) };
}
