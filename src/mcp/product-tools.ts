// Tools for the catalog.

import { Type } from "typebox";
import { checked, ProductRecords } from "./records.ts";
import { tool } from "./tool.ts";
import { dollars } from "./view.ts";

export const listInstanceTypes = tool("reads", {
  name: "list_products",
  title: "List instance types",
  description:
    "Lists the available instance types, cheapest first: GPUs, CPU, memory, storage, price per hour, and the " +
    "regions that have capacity now.",
  input: Type.Object({
    available_only: Type.Optional(
      Type.Boolean({ description: "Only those with capacity in some region now. Default: false." }),
    ),
  }),
  async run({ input, service }) {
    const all = checked(
      ProductRecords,
      await service.call({ interface: "marketplace", method: "GET", path: "/instance-types" }),
    );
    const products = Object.values(all)
      .filter((one) => input.available_only !== true || one.regions_with_capacity_available.length > 0)
      .toSorted((a, b) => a.instance_type.price_cents_per_hour - b.instance_type.price_cents_per_hour);
    const lines = products.map(({ instance_type: type, regions_with_capacity_available: regions }) => {
      const { vcpu_count: cpus, memory_gib: memory, storage_gb: storage } = type.specs;
      const where = regions.length === 0 ? "no capacity now" : regions.map(({ name }) => name).join(", ");
      const size = `${cpus} vCPUs, ${memory} GiB, ${storage} GB`;
      return `${type.name}: ${type.description}, ${size}, ${dollars(type.price_cents_per_hour)}/hour: ${where}`;
    });
    return { text: lines.length === 0 ? "No instance types are available." : lines.join("\n"), data: { products } };
  },
});
