// How validations of GPUs end: by a verdict, when nothing of the machine is left, and by waiting too long for one. Used
// by the reconciler (reconciler/gpu-validations.ts).
//
// Invariant: a GPU becomes free only by the verdict of the validation that has it, and only when no other one is to
// follow. What an operator has decided meanwhile stays.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import type { QuarantineReason, Verdict } from "../../rules/gpu-lifecycle.ts";
import { isEmptied } from "../hosts/accepting.ts";
import { type GpuOfEvent, gpuOfEvent, recordGpuEvents } from "./gpu-events.ts";
import { recountPoolsOf } from "./pools.ts";
import { recordTimes } from "./times.ts";
import { isDue, type Validation } from "./validations.ts";

/** Delays in seconds. */
export interface ValidationDelays {
  /** Until one without a verdict is repeated. */
  readonly retry: number;
  /** Between two of a burn-in. */
  readonly pause: number;
}

/** What became of its GPUs. */
export interface Ended {
  readonly verdict: Verdict | "aborted";
  readonly quarantined: number;
  readonly freed: number;
}

interface Decided {
  readonly verdict: Verdict | "aborted";
  readonly evidence: string | null;
  readonly nonce: string;
  readonly attempts: number;
  readonly quarantines_warnings: boolean;
}

/**
 * Ends it by its verdict. Nothing of its machine is left. Undefined, with nothing changed: another process has claimed
 * it, or has ended it.
 */
export async function endValidation(
  tx: Transaction,
  { id, host, claims }: Validation,
  delays: ValidationDelays,
): Promise<Ended | undefined> {
  await sql`select from hosts where name = ${host} for update`.execute(tx);
  const { rows } = await sql<Decided>`
    select verdict, evidence, nonce, attempts, quarantines_warnings from gpu_validations
    where id = ${id} and claims = ${claims} and verdict is not null for update`.execute(tx);
  const [one] = rows;
  if (one === undefined) return undefined;
  if (one.verdict === "passed" || one.verdict === "warned") {
    const began = sql`(select v.began_at from gpu_validations v where v.id = ${id})`;
    await recordTimes(tx, "validation", sql`validation_id = ${id}`, began);
  }
  const quarantined = await quarantine(tx, id, one);
  const freed = await release(tx, id, one, delays);
  await sql`
    update gpus set validation_id = null,
      last_validated_at = case when ${one.verdict} = 'aborted' then last_validated_at else now() end,
      last_verdict = case when ${one.verdict} = 'aborted' then last_verdict else ${one.verdict} end,
      last_nonce = ${one.nonce}
    where validation_id = ${id}`.execute(tx);
  await sql`delete from gpu_validations where id = ${id}`.execute(tx);
  // Only now are they free: no GPU is, that the machine of a validation has.
  await sql`
    update gpus set state = 'free', state_since = now(), validation_due = null, burn_in_until = null, reason = null,
      evidence = null, decided_by = null, attempts = 0, next_try_at = null
    where host = ${host} and id = any(${freed.map((gpu) => gpu.id)}::uuid[])`.execute(tx);
  await recountPoolsOf(tx, host);
  await recordGpuEvents(tx, "quarantined", quarantined);
  // They were quarantined before an operator had them retested.
  await recordGpuEvents(
    tx,
    "released",
    freed.filter(({ reason }) => reason !== null).map((gpu) => ({ ...gpu, operator: null })),
  );
  return { verdict: one.verdict, quarantined: quarantined.length, freed: freed.length };
}

/** Those of it that are quarantined now. */
async function quarantine(tx: Transaction, id: string, one: Decided): Promise<readonly GpuOfEvent[]> {
  const { verdict } = one;
  const reason = reasonOf(one);
  if (reason === undefined) return [];
  const isLast = verdict === "unverified" ? sql`attempts >= ${one.attempts}` : sql`true`;
  return quarantineWhere(tx, sql`validation_id = ${id} and state = 'validating' and ${isLast}`, reason, one.evidence);
}

function reasonOf({ verdict, quarantines_warnings: strict }: Decided): QuarantineReason | undefined {
  switch (verdict) {
    case "failed":
      return "validation-failed";
    case "unverified":
      return "validation-unverified";
    case "warned":
      return strict ? "validation-warned" : undefined;
    case "passed":
    case "aborted":
      return undefined;
  }
}

/** Those of it that can be free now; the others are validated again. As they were before. */
async function release(
  tx: Transaction,
  id: string,
  { verdict }: Decided,
  delays: ValidationDelays,
): Promise<readonly GpuOfEvent[]> {
  const isOurs = sql`validation_id = ${id} and state = 'validating'`;
  if (verdict === "aborted" || verdict === "unverified") {
    const seconds = verdict === "aborted" ? 0 : delays.retry;
    await sql`
      update gpus set next_try_at = now() + make_interval(secs => ${seconds}::float8),
        attempts = attempts - ${verdict === "aborted" ? 1 : 0} where ${isOurs}`.execute(tx);
    return [];
  }
  await sql`
    update gpus set attempts = 0, next_try_at = now() + make_interval(secs => ${delays.pause}::float8)
    where ${isOurs} and burn_in_until > now()`.execute(tx);
  const { rows } = await sql<{ gpu: GpuOfEvent }>`
    select ${gpuOfEvent} as gpu from gpus where ${isOurs} and (burn_in_until > now()) is not true`.execute(tx);
  return rows.map(({ gpu }) => gpu);
}

/**
 * Quarantines the GPUs of the engine that have waited for `seconds` for their validation, such as on a host that is not
 * reached, and at once those that no policy names an image for any more. Returns how many.
 */
export async function expireValidations(db: Database, engine: string, seconds: number): Promise<number> {
  const hasImage = sql`exists (select from gpu_policy_of(g.host, g.model) p where p.image is not null)`;
  // While the state of their host stays as it is, unless that is emptied: then they wait for the end of that.
  const isTooLate = sql`exists (
    select from hosts h where h.name = g.host and not ${isEmptied(sql`h.state`)}
      and greatest(g.next_try_at, h.state_since) < now() - make_interval(secs => ${seconds}::float8))`;
  const isWaiting = sql`(${isDue} and (${isTooLate} or not ${hasImage}))`;
  const { rows } = await sql<{ host: string }>`
    select distinct g.host from gpus g join hosts h on h.name = g.host
    where h.engine = ${engine} and ${isWaiting}
    union
    select v.host from gpu_validations v join hosts h on h.name = v.host
    where h.engine = ${engine} and v.leased_until < now() - make_interval(secs => ${seconds}::float8)`.execute(db);
  let count = 0;
  for (const { host } of rows) {
    count += await inTransaction(db, async (tx) => {
      await sql`select from hosts where name = ${host} for update`.execute(tx);
      // The machine of one that no process could end for so long stays reserved until it is removed.
      const isStuck = sql`g.state = 'validating' and exists (
        select from gpu_validations v where v.id = g.validation_id
          and v.leased_until < now() - make_interval(secs => ${seconds}::float8))`;
      const found = "It waited too long for its validation: its host is not reached, or has no room for it.";
      const noImage = "No policy of its model names an image for its validation any more.";
      const where = (condition: RawBuilder<unknown>) =>
        sql`id in (select g.id from gpus g where g.host = ${host} and ${condition})`;
      const stuck = await quarantineWhere(tx, where(isStuck), "validation-unverified", found);
      const orphaned = await quarantineWhere(
        tx,
        where(sql`${isDue} and not ${hasImage}`),
        "validation-unverified",
        noImage,
      );
      const late = await quarantineWhere(tx, where(isWaiting), "validation-unverified", found);
      const all = [...stuck, ...orphaned, ...late];
      if (all.length > 0) await recountPoolsOf(tx, host);
      await recordGpuEvents(tx, "quarantined", all);
      return all.length;
    });
  }
  return count;
}

/** The caller holds the lock of their host. */
async function quarantineWhere(
  tx: Transaction,
  which: RawBuilder<unknown>,
  reason: QuarantineReason,
  evidence: string | null,
): Promise<readonly GpuOfEvent[]> {
  const { rows } = await sql<{ gpu: GpuOfEvent }>`
    update gpus set state = 'quarantined', state_since = now(), reason = ${reason}, evidence = ${evidence},
      decided_by = null, attempts = 0, next_try_at = null
    where ${which} returning ${gpuOfEvent} as gpu`.execute(tx);
  return rows.map(({ gpu }) => gpu);
}
