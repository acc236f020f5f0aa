// Which GPUs are to be reset, and what their resets came to. Used by the reconciler (reconciler/gpu-resets.ts).
//
// Invariant: a GPU becomes free, or is to be validated, only by the verdict of a reset that was claimed last. A claim
// postpones the next try and is renewed while the reset takes, so a process that dies only delays it for as long as its
// claim lasts, and the verdict of an older try counts for nothing. All of it under the lock of the host's row.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { gpuTransitions, type QuarantineReason } from "../../rules/gpu-lifecycle.ts";
import { isReached } from "../hosts/accepting.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { type GpuOfEvent, recordGpuEvents } from "./gpu-events.ts";
import { isApart } from "./partitions/waiting.ts";
import { recountPoolsOf } from "./pools.ts";
import { recordTimes } from "./times.ts";

/** The GPUs of one host that are to be reset now. */
export interface HostResets {
  readonly host: string;
  readonly gpus: readonly {
    readonly address: string;
    /** Including this one, since it was to be reset. */
    readonly attempts: number;
    /** Of all that it ever had: which one this is. */
    readonly reset: number;
  }[];
}

/** What a reset came to. */
export type ResetOutcome =
  | { readonly as: "sanitized" }
  | { readonly as: "failed"; readonly reason: QuarantineReason; readonly evidence: string }
  /** To be tried again in so many seconds. */
  | { readonly as: "postponed"; readonly seconds: number };

/**
 * Claims the due resets of up to `hosts` hosts of the engine that are reached, of up to `gpus` GPUs of each that no
 * partition has which might be active, the longest due first. The next try of each is in `seconds`, unless the claim is
 * renewed.
 */
export async function claimResets(
  db: Database,
  engine: string,
  most: { readonly hosts: number; readonly gpus: number },
  seconds: number,
): Promise<readonly HostResets[]> {
  const isDue = sql`g.state = 'sanitizing' and g.next_try_at <= now() and ${isApart}`;
  const { rows } = await sql<HostResets>`
    with due as (
      select name from hosts h
      where h.engine = ${engine} and ${isReached(sql`h.state`)} and exists (
        select from gpus g where g.host = h.name and ${isDue})
      order by name limit ${most.hosts} for update skip locked
    ), first as (
      select g.id from due cross join lateral (
        select g.id from gpus g where g.host = due.name and ${isDue}
        order by g.next_try_at, g.address limit ${most.gpus}) g
    ), claimed as (
      update gpus g set attempts = attempts + 1, resets = resets + 1, next_try_at = now() + ${interval(seconds)}
      from first where g.id = first.id and ${isDue}
      returning g.host, g.address, g.attempts, g.resets
    ), retried as (
      -- It has no estimate any more: what shows one sees that its host has changed (returning.ts).
      update hosts set name = name where name in (select host from claimed where attempts > 1)
    )
    select host, jsonb_agg(jsonb_build_object('address', address, 'attempts', attempts, 'reset', resets) order by address) as gpus
    from claimed group by host order by host`.execute(db);
  return rows;
}

/** Keeps the claim for `seconds` more. False: nothing of it is left, such as when another process has it. */
export async function renewResets(db: Database, { host, gpus }: HostResets, seconds: number): Promise<boolean> {
  const addresses = gpus.map(({ address }) => address);
  const resets = gpus.map(({ reset }) => reset);
  const { numAffectedRows } = await sql`
    with locked as (
      select name from hosts where name = ${host} for update
    )
    update gpus g set next_try_at = now() + ${interval(seconds)}
    from locked, unnest(${addresses}::text[], ${resets}::bigint[]) as ours (address, reset)
    where g.host = locked.name and g.address = ours.address and g.resets = ours.reset and g.state = 'sanitizing'`.execute(
    db,
  );
  return numAffectedRows !== 0n;
}

/** Records it for a GPU. False, with nothing changed, if it was claimed again, or an operator has decided otherwise. */
export async function recordReset(
  tx: Transaction,
  host: string,
  { address, attempts, reset }: HostResets["gpus"][number],
  outcome: ResetOutcome,
): Promise<boolean> {
  await sql`select from hosts where name = ${host} for update`.execute(tx);
  const isOurs = sql`host = ${host} and address = ${address} and resets = ${reset} and state = 'sanitizing'`;
  if (outcome.as === "postponed") {
    const { numAffectedRows } = await sql`
      update gpus set next_try_at = now() + ${interval(outcome.seconds)} where ${isOurs}`.execute(tx);
    return numAffectedRows === 1n;
  }
  const isFailed = outcome.as === "failed";
  if (!isFailed && attempts === 1) await recordTimes(tx, "reset", isOurs, sql`state_since`);
  // One that is to be validated keeps why it was quarantined until it is free.
  const { rows } = await sql<{ before: string | null; gpu: GpuOfEvent; state: string }>`
    with before as (select id, reason from gpus where ${isOurs})
    update gpus set state_since = now(), attempts = 0, reset_owed = false, ${
      isFailed
        ? sql`state = ${gpuTransitions.failed.sanitizing}, next_try_at = null, decided_by = null,
            reason = ${outcome.reason}, evidence = ${outcome.evidence}`
        : sql`
            state = case when validation_due is null then ${sql.lit(gpuTransitions.sanitized.sanitizing)}
              else ${sql.lit(gpuTransitions["sanitized, to validate"].sanitizing)} end,
            next_try_at = case when validation_due is not null then now() end,
            decided_by = case when validation_due is not null then decided_by end,
            reason = case when validation_due is not null then gpus.reason end,
            evidence = case when validation_due is not null then evidence end`
    }
    from before where gpus.id = before.id
    returning before.reason as before, state, jsonb_build_object('id', gpus.id, 'host', host, 'address', address,
      'model', model, 'reason', gpus.reason, 'operator', null) as gpu`.execute(tx);
  const [row] = rows;
  if (row === undefined) return false;
  await recountPoolsOf(tx, host);
  if (isFailed) await recordGpuEvents(tx, "quarantined", [row.gpu]);
  else if (row.state === gpuTransitions["sanitized, to validate"].sanitizing) await wakeReconciler(tx, "gpus");
  // It was quarantined before an operator had it retested.
  else if (row.before !== null) await recordGpuEvents(tx, "released", [{ ...row.gpu, reason: row.before }]);
  return true;
}

function interval(seconds: number): RawBuilder<unknown> {
  return sql`make_interval(secs => ${seconds}::float8)`;
}
