// Tools for the catalog.

import { Type } from "typebox";
import { checked, OfferRecords, ProductRecords } from "./records.ts";
import { tool } from "./tool.ts";
import { dollars } from "./view.ts";

export const listInstanceTypes = tool("reads", {
  name: "list_products",
  title: "List instance types",
  description:
    "Lists the available instance types, cheapest first: GPUs, CPU, memory, storage, price per hour, the price as a spot " +
    "instance if there is one, and the regions that have capacity now.",
  input: Type.Object({
    available_only: Type.Optional(
      Type.Boolean({ description: "Only those with capacity in some region now. Default: false." }),
    ),
  }),
  async run({ input, service }) {
    const [all, offers] = await Promise.all([
      service.call({ interface: "marketplace", method: "GET", path: "/instance-types" }),
      service.call({ interface: "control", method: "GET", path: "/offers" }),
    ]);
    const spotPrices = new Map(
      checked(OfferRecords, offers).map(({ instance_type: type }) => [type.name, type.spot_price_cents_per_hour]),
    );
    const products = Object.values(checked(ProductRecords, all))
      .filter((one) => input.available_only !== true || one.regions_with_capacity_available.length > 0)
      .toSorted((a, b) => a.instance_type.price_cents_per_hour - b.instance_type.price_cents_per_hour);
    const lines = products.map(({ instance_type: type, regions_with_capacity_available: regions }) => {
      const { vcpu_count: cpus, memory_gib: memory, storage_gb: storage } = type.specs;
      const where = regions.length === 0 ? "no capacity now" : regions.map(({ name }) => name).join(", ");
      const size = `${cpus} vCPUs, ${memory} GiB, ${storage} GB`;
      const spot = spotPrices.get(type.name) ?? null;
      const price = `${dollars(type.price_cents_per_hour)}/hour${spot === null ? "" : `, ${dollars(spot)}/hour as spot`}`;
      return `${type.name}: ${type.description}, ${size}, ${price}: ${where}`;
    });
    const text = lines.length === 0 ? "No instance types are available." : lines.join("\n");
    return { text, data: { products, spot_prices_cents_per_hour: Object.fromEntries(spotPrices) } };
  },
});
