// Time in which maintenance keeps an instance stopped is not billed: the downtime of its span has it, as it has that of
// unreachable hosts (downtime.ts). Used by maintenance/instances.ts, and by apply-action.ts when an action ends it.
//
// Invariant: a pause begins in the transaction that stops the instance for a window, or with a span that is opened
// since, and ends in the one that clears `instances.stopped_for`. While it lasts downtime.ts does not resume billing, and
// a credit is given only for time that was billed; so each second counts once.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";

/** Begins it now for the instances with an open span. The caller holds the instances' row locks. */
export async function pauseForMaintenance(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await sql`
    update billing_spans set downtime = downtime + tstzmultirange(tstzrange(greatest(started_at, billing_now()), null))
    where instance_id = any(${[...instanceIds]}::uuid[]) and ended_at is null`.execute(tx);
}

/**
 * Ends it now. What of it an unreachable host has caused too goes on until that is reached (downtime.ts). The caller
 * holds the instances' row locks, and clears `stopped_for`.
 */
export async function endMaintenancePause(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  await sql`
    update billing_spans s set downtime = s.downtime * tstzmultirange(tstzrange(null, greatest(s.started_at, billing_now())))
    from instances i
    where s.instance_id = i.id and i.id = any(${[...instanceIds]}::uuid[]) and upper_inf(s.downtime)
      and not (i.is_down and s.downtime @> greatest(i.unreachable_since, s.started_at,
        (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months)))`.execute(tx);
}

/** Limits how long one transaction holds locks. */
const batch = 500;

/**
 * Begins it for spans that were opened while their instances were stopped for a window: those of instances that were
 * never active, and are billed from when they are stopped. Returns how many.
 */
export async function pauseOpenedSpans(db: Database): Promise<number> {
  for (let sum = 0; ; ) {
    const some = await inTransaction(db, async (tx) => {
      const { rows } = await sql<{ id: string }>`
        select i.id from instances i join maintenance_windows w on w.id = i.stopped_for
        where exists (
          select from billing_spans s
          where s.instance_id = i.id and s.ended_at is null and s.started_at >= w.started_at and not upper_inf(s.downtime))
        order by i.id limit ${batch} for update of i`.execute(tx);
      await sql`
        update billing_spans set downtime = downtime + tstzmultirange(tstzrange(greatest(started_at,
          (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months)), null))
        where instance_id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
      return rows.length;
    });
    sum += some;
    if (some < batch) return sum;
  }
}
