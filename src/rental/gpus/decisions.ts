// What operators decide about one GPU: quarantine it, retest it, validate it, release it. Used by the control interface.
//
// Invariant: a GPU changes only as rules/gpu-lifecycle.ts says, under the row lock of its host, with its event in the
// same transaction; so of two operators at once the second sees what the first has decided. One that an instance has
// stays with it, and is quarantined when that is gone (trigger gpus_follow_holder).

import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { afterGpuTransition, type GpuAction, gpuStates, gpuTraits, type Handover } from "../../rules/gpu-lifecycle.ts";
import { invalid, RentalError } from "../errors.ts";
import { checkReason } from "../instances/reason.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { recordGpuEvents } from "./gpu-events.ts";
import { type Gpu, readGpu } from "./gpu-reading.ts";
import { recountPoolsOf } from "./pools.ts";

export interface GpuDecision {
  /** One line for other operators. */
  readonly reason: string;
  /** The operator's account. */
  readonly by: string;
}

/** What would be offered again, and the confirmation of exactly that. */
export interface GpuRelease {
  readonly gpu: Gpu;
  /** It is reset before, because no reset has come to an end since its last instance. */
  readonly isResetBefore: boolean;
  readonly confirmation: string;
  readonly isReleased: boolean;
}

/**
 * No instance gets it from now on; the one that has it keeps it until it ends. Repeated, it replaces the reason. Throws
 * RentalError unknown-object, and invalid-parameters (the reason).
 */
export async function quarantineGpu(
  tx: Transaction,
  host: string,
  address: string,
  { reason, by }: GpuDecision,
): Promise<Gpu> {
  const problem = checkReason(reason);
  if (problem !== undefined) throw invalid("reason", problem);
  const gpu = await lockGpu(tx, host, address);
  if (gpuTraits[gpu.state].isHeld) {
    await sql`
      update gpus set quarantine_next = ${reason}, decided_by = ${by} where id = ${gpu.id}`.execute(tx);
    return readGpu(tx, host, address);
  }
  const state = stateAfter(gpu, "quarantine");
  await sql`
    update gpus set state = ${state}, reason = ${reason}, evidence = null, decided_by = ${by}, attempts = 0, next_try_at = null,
      state_since = case when state = ${state} then state_since else now() end
    where id = ${gpu.id}`.execute(tx);
  await recountPoolsOf(tx, host);
  const after = await readGpu(tx, host, address);
  if (state !== gpu.state) await recordGpuEvents(tx, "quarantined", [{ ...after, operator: after.decidedBy }]);
  return after;
}

/**
 * Resets it again, and validates it if its policy says so or it was to be validated; it is offered when that is
 * verified. Throws RentalError unknown-object, and conflict if it is not quarantined, or a validation still has it.
 */
export async function retestGpu(tx: Transaction, host: string, address: string): Promise<Gpu> {
  const gpu = await lockGpu(tx, host, address);
  if (gpuTraits[gpu.state].returns) return gpu;
  refuseWhileValidated(gpu);
  await beginReset(tx, gpu, stateAfter(gpu, "retest"));
  return readGpu(tx, host, address);
}

async function beginReset(tx: Transaction, { id, host }: Gpu, state: string): Promise<void> {
  await sql`
    update gpus set state = ${state}, state_since = now(), attempts = 0, next_try_at = now(), validation_due = (
      select case when p.handover = ${"reset+validate" satisfies Handover} then coalesce(validation_due, 'handover')
        when p.image is not null then validation_due end
      from gpu_policy_of(host, model) p)
    where id = ${id}`.execute(tx);
  await recountPoolsOf(tx, host);
  await wakeReconciler(tx, "gpus");
}

/**
 * Validates it, whatever the policy says; one that is quarantined is reset before. It is offered when that is verified.
 * Throws RentalError unknown-object, and conflict if it is neither free nor quarantined, if a validation still has it,
 * or if no policy names an image for it.
 */
export async function validateGpu(tx: Transaction, host: string, address: string): Promise<Gpu> {
  const gpu = await lockGpu(tx, host, address);
  const { rows: images } = await sql`
    select from gpu_policy_of(${host}, ${gpu.model}) p where p.image is not null`.execute(tx);
  if (images.length === 0) {
    throw new RentalError("conflict", {
      message: `No policy names a validation image for GPUs of the model ${gpu.model}.`,
      suggestion: `Set one: lessor gpus policy ${gpu.model} HANDOVER --image IMAGE.`,
    });
  }
  if (gpuTraits[gpu.state].returns && gpu.validationDue !== null) return gpu;
  const state = stateAfter(gpu, "validate");
  refuseWhileValidated(gpu);
  await sql`
    update gpus set state = ${state}, state_since = now(), attempts = 0, next_try_at = now(),
      validation_due = coalesce(validation_due, 'operator') where id = ${gpu.id}`.execute(tx);
  await recountPoolsOf(tx, host);
  await wakeReconciler(tx, "gpus");
  return readGpu(tx, host, address);
}

/**
 * Offers it again as it is; one that its policy resets only after a reset, if none has come to an end since its last
 * instance. One that an instance has is no longer to be quarantined when that ends. In two steps: without
 * `confirmation` nothing changes, and the result has the one to send. Throws RentalError unknown-object, and conflict: it
 * is neither quarantined nor to be, or for another reason than was confirmed.
 */
export async function releaseGpu(
  tx: Transaction,
  host: string,
  address: string,
  { confirmation, by }: { readonly confirmation: string | undefined } & Pick<GpuDecision, "by">,
): Promise<GpuRelease> {
  const gpu = await lockGpu(tx, host, address);
  const { rows } = await sql<{ owed: boolean }>`select reset_owed as owed from gpus where id = ${gpu.id}`.execute(tx);
  const isResetBefore = rows[0]?.owed === true;
  const state = stateAfter(gpu, isResetBefore ? "release, to reset" : "release");
  refuseWhileValidated(gpu);
  const { isHeld } = gpuTraits[gpu.state];
  if (isHeld && gpu.quarantineNext === null) throw notQuarantined(gpu);
  const expected = createHash("sha256")
    .update(JSON.stringify([gpu.id, gpu.reason ?? gpu.quarantineNext, gpu.evidence, isResetBefore]))
    .digest("hex")
    .slice(0, 16);
  if (confirmation === undefined) return { gpu, isResetBefore, confirmation: expected, isReleased: false };
  if (confirmation !== expected) {
    throw new RentalError("conflict", {
      message: `The confirmation is not for the quarantine of GPU ${address} of host ${host} as it is now.`,
      suggestion: "Send the request without `confirmation`, check why it is quarantined, and confirm that.",
    });
  }
  if (isHeld) {
    await sql`
      update gpus set quarantine_next = null, evidence = null, decided_by = null where id = ${gpu.id}`.execute(tx);
    return { gpu: await readGpu(tx, host, address), isResetBefore, confirmation: expected, isReleased: true };
  }
  if (isResetBefore) {
    await beginReset(tx, gpu, state);
    return { gpu: await readGpu(tx, host, address), isResetBefore, confirmation: expected, isReleased: true };
  }
  await sql`
    update gpus set state = ${state}, state_since = now(), reason = null, evidence = null, decided_by = null,
      validation_due = null, burn_in_until = null
    where id = ${gpu.id}`.execute(tx);
  await recountPoolsOf(tx, host);
  const operator = await tx.selectFrom("accounts").select("name").where("id", "=", by).executeTakeFirstOrThrow();
  await recordGpuEvents(tx, "released", [{ ...gpu, operator: operator.name }]);
  return { gpu: await readGpu(tx, host, address), isResetBefore, confirmation: expected, isReleased: true };
}

/** Locks its host, and reads it. Throws RentalError unknown-object. */
async function lockGpu(tx: Transaction, host: string, address: string): Promise<Gpu> {
  await sql`select from hosts where name = ${host} for update`.execute(tx);
  return readGpu(tx, host, address);
}

/** Throws RentalError conflict where its state rejects the action. */
function stateAfter({ host, address, state }: Gpu, action: GpuAction | "release, to reset"): string {
  const after = afterGpuTransition(state, action);
  if (after !== undefined) return after;
  const from = gpuStates.filter((one) => afterGpuTransition(one, action) !== undefined).join(" or ");
  throw new RentalError("conflict", {
    message: `GPU ${address} of host ${host} is ${state}, not ${from}.`,
    suggestion: `Only a ${from} GPU can be ${done[action]}.`,
  });
}

function notQuarantined({ host, address }: Gpu): RentalError {
  return new RentalError("conflict", {
    message: `GPU ${address} of host ${host} is held, and is not to be quarantined when its instance ends.`,
    suggestion: "Nothing has to be released.",
  });
}

const done = {
  quarantine: "quarantined",
  retest: "retested",
  validate: "validated",
  release: "released",
  "release, to reset": "released",
} as const satisfies Record<GpuAction | "release, to reset", string>;

/** Throws RentalError conflict while the machine of a validation has it. */
function refuseWhileValidated({ host, address, isInValidation }: Gpu): void {
  if (!isInValidation) return;
  throw new RentalError("conflict", {
    message: `The machine of a validation still has GPU ${address} of host ${host}.`,
    suggestion: "Try again when it is removed: when it has its verdict, or at its deadline.",
  });
}
