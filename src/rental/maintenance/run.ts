// Makes maintenance windows happen: ends and begins those that are due, stops the instances of those in force, and starts
// them again when they are over. A maintenance job of the reconciler: it can run twice at once, or be interrupted
// anywhere, because each window and each batch of instances is checked and changed under its locks, in a transaction of
// its own, and the next run continues from what is stored.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { maintenanceMode } from "../../rules/host-lifecycle.ts";
import { initialPhase } from "../../rules/maintenance.ts";
import { pauseOpenedSpans } from "../billing/maintenance-pause.ts";
import { beginIfDue, endIfDue } from "./begin-end.ts";
import { startAfterWindows, stopForWindows } from "./instances.ts";
import { isInForce } from "./window.ts";

export interface WindowRun {
  readonly ended: number;
  /** Or canceled, because they could not begin. */
  readonly begun: number;
  /** Instances. */
  readonly stopped: number;
  readonly restarted: number;
}

export interface WindowRunOptions {
  /** Whether time in which a window keeps an instance stopped is billed. */
  readonly isBilled: boolean;
  /** Aborted when the replica stops. */
  readonly signal?: AbortSignal;
}

/**
 * What happens, in this order: what ends makes room for what begins at the same time, and instances move with neither.
 * Where the mode moves instances, moving/empty-hosts.ts moves what is stopped.
 */
export async function runWindows(db: Database, { isBilled, signal }: WindowRunOptions): Promise<WindowRun> {
  const ended = await each(db, await dueToEnd(db), endIfDue, signal);
  const begun = await each(db, await dueToBegin(db), beginIfDue, signal);
  const stopped = await stopForWindows(db, isBilled);
  if (!isBilled) await pauseOpenedSpans(db);
  const restarted = await startAfterWindows(db);
  return { ended, begun, stopped, restarted };
}

async function each(
  db: Database,
  ids: readonly string[],
  step: (tx: Transaction, id: string) => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let done = 0;
  for (const id of ids) {
    if (signal?.aborted === true) break;
    if (await inTransaction(db, (tx) => step(tx, id))) done++;
  }
  return done;
}

/** Those whose host is lost or gone too. */
async function dueToEnd(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from maintenance_windows w
    where ${isInForce} and (w.ends_at <= now()
      or not exists (select from hosts h where h.name = w.host and h.mode = ${sql.lit(maintenanceMode)}))
    order by w.ends_at, w.id`.execute(db);
  return rows.map(({ id }) => id);
}

async function dueToBegin(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select w.id from maintenance_windows w
    where w.phase = ${sql.lit(initialPhase)} and w.begins_at <= now() order by w.begins_at, w.id`.execute(db);
  return rows.map(({ id }) => id);
}
