// Withdraws notices, and starts again what was halted for one. Used by settle.ts and evictor.ts.

import { type Selectable, sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { afterAction, states } from "../../rules/lifecycle.ts";
import { recordEvents } from "../events/record.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow } from "../instances/instance.ts";
import { instanceEvent } from "../instances/instance-event.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { isInForce, stopsInstances } from "../maintenance/window.ts";
import { holderPosition, isUnderNotice } from "./spot-sql.ts";

type Row = Selectable<InstancesTable>;

/** Limits how long one transaction holds locks. */
const batch = 100;

/** The caller holds the row locks of these instances, which are under notice. */
export async function withdraw(tx: Transaction, instances: readonly Pick<Row, "id">[]): Promise<void> {
  if (instances.length === 0) return;
  const { rows } = await sql<Row>`
    update instances set evict_at = null, evicted_for = null
    where id = any(${instances.map(({ id }) => id)}::uuid[]) returning *`.execute(tx);
  await recordEvents(
    tx,
    rows.map((row) => instanceEvent(row, "preemption_withdrawn")),
  );
  await wakeReconciler(tx, "evictions");
}

/** Withdraws notices for what no longer needs anything, except of these instances. Returns how many, at most a batch. */
export async function withdrawVain(tx: Transaction, except: readonly string[]): Promise<number> {
  const { rows } = await sql<Row>`
    select * from instances i
    where ${isUnderNotice} and i.id <> all(${[...except]}::uuid[]) and ${holderPosition} is null
    order by i.id limit ${batch} for update skip locked`.execute(tx);
  await withdraw(tx, rows);
  return rows.length;
}

/**
 * Starts what was halted for a notice that was withdrawn, as soon as it is, unless maintenance keeps it stopped. Returns how
 * many, at most a batch.
 */
export async function startWithdrawn(tx: Transaction): Promise<number> {
  const { rows } = await sql<Row>`
    select * from instances i
    where i.evict_stopped and i.evict_at is null and i.state = any(${startable}::text[])
      and not exists (select from maintenance_windows w where w.host = i.host and ${isInForce} and ${stopsInstances})
    order by i.id limit ${batch} for update skip locked`.execute(tx);
  await applyAction(tx, rows.map(fromRow), "restart", "preempted");
  return rows.length;
}

const startable = states.filter((state) => (afterAction(state, "restart") ?? state) !== state);
