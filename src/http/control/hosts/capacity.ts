// Control interface: why an instance type fits or not, filter by filter, for operators. Scans hosts: not for frequent
// use. Source: decisions, The control API.

import { Type } from "typebox";
import type { Database } from "../../../database/connect.ts";
import { type CapacityExplanation, explain, filterNames } from "../../../rental/capacity/explain.ts";
import { findInstanceType, listInstanceTypes } from "../../../rental/catalog/instance-type-store.ts";
import { isRegion } from "../../../rental/catalog/region-store.ts";
import { unknownName } from "../../../rental/errors.ts";
import type { InstanceType } from "../../../rental/instances/instance.ts";
import { parseTagFilter } from "../../../rental/instances/tags.ts";
import type { Page } from "../../../rental/paging.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { byName, pageQuery } from "../../api/paging.ts";
import { sampleOffer } from "../../api/samples.ts";
import { sample } from "../../api/schema.ts";
import * as field from "../fields.ts";
import { exampleReturning, returning, returningView } from "../gpus/returning.ts";

const Explained = Type.Object(
  {
    instance_type: field.name("gpu_1x_h100_pcie"),
    regions: Type.Array(
      Type.Object({
        region: field.name("us-east-1"),
        hosts: Type.Integer({ description: "Hosts in the region; with `selector` those that have its labels." }),
        filters: Type.Array(
          Type.Object({
            filter: Type.Enum(filterNames),
            hosts_left: Type.Integer({ description: "Hosts that pass this filter and all previous filters." }),
          }),
          { description: "In the order they are applied. An instance fits if a host passes the last filter." },
        ),
        returning: returning(),
      }),
    ),
  },
  { title: "HostCapacity" },
);

const CapacityQuery = Type.Object({
  ...pageQuery,
  instance_type: Type.Optional(Type.String({ ...limit.name, description: "Only the instance type of this name." })),
  region: Type.Optional(Type.String({ ...limit.name, description: "Only the region of this name." })),
  selector: Type.Optional(
    Type.String({
      ...limit.tagFilter,
      description: "Only hosts with these labels: `key=value` or `key`, separated by commas.",
      examples: ["rack=r12"],
    }),
  ),
});

const example = view(sampleOffer.product, [
  {
    instanceType: sampleOffer.product.name,
    region: sample.region.name,
    hosts: 12,
    filters: filterNames.map((filter, index) => ({ filter, hostsLeft: Math.max(0, 11 - 2 * index) })),
    returning: exampleReturning,
  },
]);

export function capacityRoutes(api: Api): void {
  api.get(
    "/capacity",
    {
      id: "explainCapacity",
      tag: "Capacity",
      summary: "Explain the capacity of each region",
      description:
        "For each instance type and region: the number of hosts that pass each condition of a launch, " +
        "and the GPUs that are being reset or validated.",
      scope: "operator",
      query: CapacityQuery,
      answer: field.many(Explained),
      example: { answer: { data: [example] } },
      errors: ["unknown-name"],
    },
    async ({ db, query, page }) => {
      // An empty response to a misspelled name would mean that there are no hosts.
      if (query.region !== undefined && !(await isRegion(db, query.region))) {
        throw unknownName("region", "region", query.region);
      }
      const selector = query.selector === undefined ? [] : parseTagFilter(query.selector, "selector");
      const products = await page(byName, (window) => productsOf(db, query.instance_type, window));
      const data = [];
      for (const product of products) {
        const explanations = await explain(db, product, selector);
        data.push(
          view(
            product,
            explanations.filter(({ region }) => region === (query.region ?? region)),
          ),
        );
      }
      return { data };
    },
  );
}

/** Throws RentalError unknown-name. */
async function productsOf(db: Database, name: string | undefined, window: Page): Promise<readonly InstanceType[]> {
  if (name === undefined) return listInstanceTypes(db, window);
  const product = await findInstanceType(db, name);
  if (product === undefined) throw unknownName("instance_type", "instance type", name);
  return [product];
}

function view(product: InstanceType, explanations: readonly CapacityExplanation[]) {
  return {
    instance_type: product.name,
    regions: explanations.map(({ region, hosts, filters, returning: back }) => ({
      region,
      hosts,
      filters: filters.map(({ filter, hostsLeft }) => ({ filter, hosts_left: hostsLeft })),
      returning: returningView(back),
    })),
  };
}
