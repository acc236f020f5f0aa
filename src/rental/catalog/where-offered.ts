// In which regions an instance type can be at all: where a host has enough of its GPU model, or, without GPUs, where there is
// a host. Says nothing of what is free, of cordons, or of hosts that are unreachable: "no capacity" is said of those.
// Used by the offers of the control interface.

import type { Database } from "../../database/connect.ts";
import type { InstanceType } from "../instances/instance.ts";

/** Whether a region has hosts that could hold the type. */
export type IsOffered = (product: Pick<InstanceType, "gpuModel" | "gpus">, region: string) => boolean;

/** One read of the most GPUs of each model on one host of each region. */
export async function whereOffered(db: Database): Promise<IsOffered> {
  const rows = await db
    .selectFrom("hosts")
    .leftJoin("gpu_pools", "gpu_pools.host", "hosts.name")
    .select((eb) => ["hosts.region", "gpu_pools.model", eb.fn.max("gpu_pools.total").as("most")])
    .groupBy(["hosts.region", "gpu_pools.model"])
    .execute();
  return ({ gpuModel, gpus }, region) =>
    rows.some((row) => row.region === region && (gpus === 0 || (row.model === gpuModel && (row.most ?? 0) >= gpus)));
}
