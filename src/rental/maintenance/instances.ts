// What a maintenance window does with the instances of its host: it stops those that may run, and when it is over, or
// when they have moved to another host, it starts exactly those again. Level-triggered: each run compares phases with states, so an interrupted one is continued
// by the next, and what became active in between is found. Used by run.ts.
//
// Invariant: `instances.stopped_for` is the window for which an instance was stopped, in the transaction that stopped
// it; the next action on it clears that, so what its account or an operator decided meanwhile stays. Instances are
// locked before windows, as database/lock-order.ts says.

import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { inTransaction } from "../../database/transaction.ts";
import { afterAction, type InstanceAction, type State, states } from "../../rules/lifecycle.ts";
import { pauseForMaintenance } from "../billing/maintenance-pause.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow, type Instance } from "../instances/instance.ts";
import { isInForce, stopsInstances } from "./window.ts";

/** Limits how long one transaction holds locks. */
const batch = 100;

/** The states that the action changes. */
const changedBy = (action: InstanceAction): State[] =>
  states.filter((state) => (afterAction(state, action) ?? state) !== state);

/** Stops what may run on hosts whose window in force says so. `isBilled`: also while it is stopped. Returns how many. */
export function stopForWindows(db: Database, isBilled: boolean): Promise<number> {
  return inBatches(db, async (tx) => {
    const due = await lockDue(
      tx,
      changedBy("stop"),
      sql`
        select i.id from instances i join maintenance_windows w on w.host = i.host
        where ${isInForce} and ${stopsInstances} and i.state = any(${changedBy("stop")})`,
    );
    // Read after the instances are locked, and locked: a window that ends now waits, and then starts them again.
    const { rows } = await sql<{ id: string; host: string; reason: string }>`
      select w.id, w.host, w.reason from maintenance_windows w
      where w.host = any(${due.map(({ host }) => host)}::text[]) and ${isInForce} and ${stopsInstances}
      order by w.id for share`.execute(tx);
    let stopped = 0;
    for (const window of rows) {
      const here = due.filter(({ host }) => host === window.host);
      const ids = here.map(({ id }) => id);
      await applyAction(tx, here, "stop", "operator", window.reason);
      await sql`update instances set stopped_for = ${window.id} where id = any(${ids}::uuid[])`.execute(tx);
      if (!isBilled) await pauseForMaintenance(tx, ids);
      stopped += here.length;
    }
    return stopped;
  });
}

/**
 * Starts again what was stopped for a window that is over, or whose host it has left, as soon as it is halted, unless
 * another window keeps it stopped. Returns how many.
 */
export async function startAfterWindows(db: Database): Promise<number> {
  let sum = 0;
  for (const { isDue, reason } of causesToStart) sum += await startWhere(db, isDue, reason);
  return sum;
}

/** When an instance starts again, and what its account reads about that. Each instance has one cause. */
const causesToStart = [
  { isDue: sql<boolean>`own.ended_at is not null`, reason: "The maintenance of its host is over." },
  { isDue: sql<boolean>`own.ended_at is null and i.host <> own.host`, reason: "It has moved to another host." },
];

function startWhere(db: Database, isDue: RawBuilder<boolean>, reason: string): Promise<number> {
  return inBatches(db, async (tx) => {
    const due = await lockDue(
      tx,
      changedBy("restart"),
      sql`
        select i.id from instances i join maintenance_windows own on own.id = i.stopped_for
        where ${isDue}
          and not exists (select from maintenance_windows w where w.host = i.host and ${isInForce} and ${stopsInstances})`,
    );
    await applyAction(tx, due, "restart", "operator", reason);
    return due.length;
  });
}

/**
 * Locks the next of these instances that are in one of the states, in order of id; those that others hold are left to
 * the next run.
 */
async function lockDue(tx: Transaction, inStates: State[], ids: ReturnType<typeof sql>): Promise<Instance[]> {
  const { rows } = await sql<Selectable<InstancesTable>>`
    select * from instances where id in (${ids}) and state = any(${inStates}::text[]) order by id limit ${batch} for update skip locked`.execute(
    tx,
  );
  return rows.map(fromRow);
}

async function inBatches(db: Database, some: (tx: Transaction) => Promise<number>): Promise<number> {
  for (let sum = 0; ; ) {
    const done = await inTransaction(db, some);
    sum += done;
    if (done < batch) return sum;
  }
}
