// What happens to the GPUs of a model between two tenants, by region, and how they are validated: read and set by
// operators. Used by the control interface; the triggers gpus_follow_holder and gpus_arrive read the table when an
// instance gives a GPU back, and when a new one is found.
//
// Invariant: a policy counts for GPUs that are given back or found after it was set; GPUs that are being sanitized or
// validated stay so.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { asHandover, asWarningMeaning, type Handover, type WarningMeaning } from "../../rules/gpu-lifecycle.ts";
import { isRegion } from "../catalog/region-store.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";

export interface GpuPolicy {
  readonly gpuModel: string;
  /** Null: every region that has none of its own. */
  readonly region: string | null;
  readonly handover: Handover;
  /** Null: GPUs of the model are not validated. */
  readonly validation: ValidationPolicy | null;
}

/** How GPUs of a model are validated. Sizes of the machine in GiB of memory and GB of disk. */
export interface ValidationPolicy {
  /** That the machine boots, by its name in the settings of the engine. */
  readonly image: string;
  /** At each so many handovers with the policy `reset+validate`. */
  readonly every: number;
  /** Of one validation, until its verdict. */
  readonly deadlineSeconds: number;
  /** How often one that gives no verdict is tried. */
  readonly attempts: number;
  readonly warning: WarningMeaning;
  /** Of a GPU that is new, before its first rental; 0: none. */
  readonly burnInHours: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
}

/** Of what a policy does not say. */
export const validationDefaults = {
  ...{ every: 1, deadlineSeconds: 600, attempts: 3, warning: "pass", burnInHours: 0 },
  ...{ vcpus: 4, memoryGib: 16, storageGb: 20 },
} as const satisfies Omit<ValidationPolicy, "image">;

/** By model and region, the one of every region first. */
export async function listGpuPolicies(db: Database): Promise<GpuPolicy[]> {
  const rows = await db.selectFrom("gpu_policies").selectAll().orderBy("gpu_model").orderBy("region").execute();
  return rows.map(({ gpu_model: gpuModel, region, handover, image, ...one }) => ({
    gpuModel,
    region: region === "" ? null : region,
    handover: asHandover(handover),
    validation:
      image === null
        ? null
        : {
            image,
            ...{ every: one.every, deadlineSeconds: one.deadline_seconds, attempts: one.attempts },
            ...{ warning: asWarningMeaning(one.warning), burnInHours: one.burn_in_hours },
            ...{ vcpus: one.vcpus, memoryGib: one.memory_gib, storageGb: one.storage_gb },
          },
  }));
}

/**
 * Sets it. Throws RentalError unknown-name: no host has GPUs of the model, or there is no such region; and
 * invalid-parameters: it is to validate, and names no image.
 */
export async function setGpuPolicy(tx: Transaction, policy: GpuPolicy): Promise<GpuPolicy> {
  const { gpuModel, region, handover, validation } = policy;
  if (handover === "reset+validate" && validation === null)
    throw invalid("validation", "Give it, with the image that the machine boots, or use the handover reset.");
  if (region !== null && !(await isRegion(tx, region))) throw unknownName("region", "region", region);
  const { rows: known } = await sql`select from gpu_pools where model = ${gpuModel} limit 1`.execute(tx);
  if (known.length === 0) throw unknownName("gpu_model", "GPU model of a host", gpuModel);
  const { image, ...one } = validation ?? { image: null, ...validationDefaults };
  await tx
    .insertInto("gpu_policies")
    .values({
      ...{ gpu_model: gpuModel, region: region ?? "", handover, image },
      ...{ every: one.every, deadline_seconds: one.deadlineSeconds, attempts: one.attempts, warning: one.warning },
      ...{ burn_in_hours: one.burnInHours, vcpus: one.vcpus, memory_gib: one.memoryGib, storage_gb: one.storageGb },
    })
    .onConflict((conflict) =>
      conflict.columns(["gpu_model", "region"]).doUpdateSet(({ ref }) => ({
        ...{ handover: ref("excluded.handover"), image: ref("excluded.image"), every: ref("excluded.every") },
        ...{ deadline_seconds: ref("excluded.deadline_seconds"), attempts: ref("excluded.attempts") },
        ...{ warning: ref("excluded.warning"), burn_in_hours: ref("excluded.burn_in_hours") },
        ...{ vcpus: ref("excluded.vcpus"), memory_gib: ref("excluded.memory_gib") },
        storage_gb: ref("excluded.storage_gb"),
      })),
    )
    .execute();
  return policy;
}

/** Removes it. Throws RentalError unknown-object. */
export async function removeGpuPolicy(tx: Transaction, gpuModel: string, region: string | null): Promise<void> {
  const { numAffectedRows } = await sql`
    delete from gpu_policies where gpu_model = ${gpuModel} and region = ${region ?? ""}`.execute(tx);
  if (numAffectedRows === 0n) throw new RentalError("unknown-object", { what: "GPU policy", ids: [gpuModel] });
}
