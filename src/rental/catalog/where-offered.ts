// The regions that could run an instance type: those with a host with enough of its GPU model, or, without GPUs, with
// any host. Ignores free capacity, cordons and unreachable hosts, which count as "no capacity", but not lost ones. Used by
// the offers of the control interface.

import type { Database } from "../../database/connect.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import type { InstanceType } from "../instances/instance.ts";

/** Whether a region has hosts that could run the type. */
export type IsOffered = (product: Pick<InstanceType, "gpuModel" | "gpus">, region: string) => boolean;

/** One read of the maximum number of GPUs of each model per host and region. */
export async function whereOffered(db: Database): Promise<IsOffered> {
  const rows = await db
    .selectFrom("hosts")
    .leftJoin("gpu_pools", "gpu_pools.host", "hosts.name")
    .select((eb) => ["hosts.region", "gpu_pools.model", eb.fn.max("gpu_pools.total").as("most")])
    .where("hosts.mode", "<>", lostMode)
    .groupBy(["hosts.region", "gpu_pools.model"])
    .execute();
  return ({ gpuModel, gpus }, region) =>
    rows.some((row) => row.region === region && (gpus === 0 || (row.model === gpuModel && (row.most ?? 0) >= gpus)));
}
