// Terminates instances whose lifetime is over, and warns before. A maintenance job: it can run twice at once or be
// interrupted anywhere, because each instance is checked and changed under its row lock, in one transaction.
//
// A lifetime counts from the start of billing (record-observation.ts sets `expires_at`). One indexed query finds due
// ones (index instances_expiring); locked rows are left to the next run.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { inTransaction } from "../../database/transaction.ts";
import { recordEvents } from "../events/record.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";

/** A warning comes this long before the end, or a tenth of the lifetime if that is shorter. */
export const warningSeconds = 600;

/** Limits how long one transaction holds locks. */
const batch = 100;

type Row = Selectable<InstancesTable> & { readonly over: boolean };

export interface Ended {
  readonly ended: number;
  readonly warned: number;
}

/** Handles all that is due now. An instance that is found after its end gets no warning. */
export async function endLifetimes(db: Database): Promise<Ended> {
  let sum: Ended = { ended: 0, warned: 0 };
  for (;;) {
    const { ended, warned } = await inTransaction(db, someOf);
    sum = { ended: sum.ended + ended, warned: sum.warned + warned };
    if (ended + warned < batch) return sum;
  }
}

async function someOf(tx: Transaction): Promise<Ended> {
  const { rows } = await sql<Row>`
    select *, expires_at <= now() as over from instances
    where terminating_at is null and expires_at <= now() + make_interval(secs => ${warningSeconds})
      and (expires_at <= now() or (not expiry_warned
        and expires_at - make_interval(secs => least(${warningSeconds}, max_lifetime_seconds / 10.0)) <= now()))
    order by expires_at
    limit ${batch}
    for update skip locked`.execute(tx);
  const over = rows.filter((row) => row.over);
  const near = rows.filter((row) => !row.over);
  await applyAction(tx, over.map(fromRow), "terminate", "lifetime");
  await warn(tx, near);
  return { ended: over.length, warned: near.length };
}

async function warn(tx: Transaction, rows: readonly Row[]): Promise<void> {
  if (rows.length === 0) return;
  await sql`update instances set expiry_warned = true where id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
  await recordEvents(
    tx,
    rows.map((row) => instanceEvent(row, "expiring")),
  );
}
