// Offers: every instance type with its current capacity. The listing of every variant. Source: specification, Instance
// type.

import type { Database } from "../../database/connect.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Service } from "../service.ts";
import { listInstanceTypes } from "./instance-type-store.ts";
import { listRegions, type Region } from "./region-store.ts";

export interface Offer {
  readonly product: InstanceType;
  /** How many instances currently fit, over all regions. */
  readonly capacityAvailable: number;
  /** Only regions with capacity, by name. */
  readonly regions: readonly (Region & { readonly capacityAvailable: number })[];
}

/** All instance types by name. */
export async function offers(db: Database, service: Service): Promise<Offer[]> {
  const [products, regions] = [await listInstanceTypes(db), await listRegions(db)];
  const capacity = await service.capacity.view(products);
  return products.map((product) => {
    const byRegion = capacity.get(product.name);
    const withCapacity = regions
      .map((region) => ({ ...region, capacityAvailable: byRegion?.get(region.name) ?? 0 }))
      .filter((region) => region.capacityAvailable > 0);
    return {
      product,
      capacityAvailable: withCapacity.reduce((sum, region) => sum + region.capacityAvailable, 0),
      regions: withCapacity,
    };
  });
}
