// Explains why an instance type fits or not: how many hosts of each region are left after each filter, in the order in
// which an operator would check them. Read by GET /control/v1/capacity, and logged when a launch finds no capacity.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import type { ReturningGpus } from "../../rules/gpu-return.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import { readReturning } from "../gpus/returning.ts";
import { acceptsInstances } from "../hosts/accepting.ts";
import { type HostSelector, hasLabels } from "../hosts/labels.ts";
import type { InstanceType } from "../instances/instance.ts";
import { gpusFit } from "./host-lock.ts";

export const filterNames = [
  "not-lost",
  "available",
  "not-cordoned",
  "gpu-model",
  "gpus-free",
  "vcpus-free",
  "memory-free",
  "storage-free",
] as const;
export type FilterName = (typeof filterNames)[number];

export interface CapacityExplanation {
  readonly instanceType: string;
  readonly region: string;
  /** Hosts in the region. */
  readonly hosts: number;
  /** Hosts that pass this filter and all previous filters. */
  readonly filters: readonly { readonly filter: FilterName; readonly hostsLeft: number }[];
  /** GPUs of its model that are being reset or validated, by when they are expected back. */
  readonly returning: readonly ReturningGpus[];
}

/** One explanation per region, by name; with a selector of the hosts that have its labels. Scans the region's hosts: not for use in requests of customers. */
export async function explain(
  db: Database,
  product: InstanceType,
  selector: HostSelector = [],
): Promise<CapacityExplanation[]> {
  const { rows } = await sql<{ region: string; hosts: number; left: number[] }>`
    select r.name as region, count(h.name)::integer as hosts,
      array[count(*) filter (where f.passed >= 1), count(*) filter (where f.passed >= 2),
        count(*) filter (where f.passed >= 3), count(*) filter (where f.passed >= 4),
        count(*) filter (where f.passed >= 5), count(*) filter (where f.passed >= 6),
        count(*) filter (where f.passed >= 7), count(*) filter (where f.passed >= 8)]::integer[] as left
    from regions r left join hosts h on h.region = r.name and ${hasLabels(sql`h.labels`, selector)}
    left join gpu_pools p on p.host = h.name and p.model = ${product.gpuModel}
    left join lateral (select case
      when h.mode = ${sql.lit(lostMode)} then 0
      when not h.available then 1
      when not ${acceptsInstances(sql`h.mode`)} then 2
      when ${product.gpuModel}::text is not null and p.host is null then 3
      when ${product.gpuModel}::text is not null and not ${gpusFit(product.gpus)} then 4
      when h.free_vcpus < ${product.vcpus} then 5
      when h.free_memory_gib < ${product.memoryGib} then 6
      when h.free_storage_gb < ${product.storageGb} then 7
      else 8 end as passed) f on h.name is not null
    group by r.name order by r.name`.execute(db);
  const returning =
    product.gpuModel === null ? undefined : await readReturning(db, { model: product.gpuModel, selector });
  return rows.map((row) => ({
    instanceType: product.name,
    region: row.region,
    hosts: row.hosts,
    filters: filterNames.map((filter, index) => ({ filter, hostsLeft: row.left[index] ?? 0 })),
    returning: returning?.of(row.region, product.gpuModel) ?? [],
  }));
}
