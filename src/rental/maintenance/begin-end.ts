// Begins, ends and cancels one maintenance window: its phase, the mode of its host and the events, in one transaction.
// What happens to instances follows in transactions of its own (instances.ts), driven by the phase. Used by run.ts and
// schedule.ts.
//
// Invariant: a host is in maintenance exactly while one of its windows is in force, unless it was lost or deleted
// meanwhile; then the next run ends the window. At its end it returns to the mode, reason and operator that it had
// before. Each of these happens once, because the phase is checked under the lock of the window.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { afterHostAction, asHostMode, maintenanceMode } from "../../rules/host-lifecycle.ts";
import { afterWindowAction, asWindowPhase } from "../../rules/maintenance.ts";
import { changeHostMode } from "../hosts/change-mode.ts";
import { type MaintenanceWindow, type WindowRow, windowFrom } from "./window.ts";
import { recordWindowEvents } from "./window-events.ts";
import { lockWithHost } from "./window-store.ts";

/** The time of the database now: what the times of windows are compared with. */
export async function databaseNow(tx: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a from gives a row");
  return row.now;
}

interface HostBefore {
  readonly mode: string;
  readonly mode_reason: string | null;
  readonly mode_by: string | null;
}

async function hostOf(tx: Transaction, name: string): Promise<HostBefore | undefined> {
  const { rows } = await sql<HostBefore>`select mode, mode_reason, mode_by from hosts where name = ${name}`.execute(tx);
  return rows[0];
}

/**
 * Begins the window if it is due, or cancels it if that is impossible: its time is over, or its host is lost or gone.
 * Returns whether anything changed: another replica can have been faster, or the host's last window is about to end.
 */
export async function beginIfDue(tx: Transaction, id: string): Promise<boolean> {
  const row = await lockWithHost(tx, id);
  const now = await databaseNow(tx);
  const phase = afterWindowAction(asWindowPhase(row.phase), "begin");
  if (phase === undefined || row.begins_at > now) return false;
  const host = await hostOf(tx, row.host);
  if (host?.mode === maintenanceMode) return false;
  const mode = host === undefined ? undefined : afterHostAction(asHostMode(host.mode), "begin-maintenance");
  if (host === undefined || mode === undefined || row.ends_at <= now) {
    await endWindow(tx, row, "cancel");
    return true;
  }
  const { rows } = await sql<WindowRow>`
    update maintenance_windows set phase = ${phase}, started_at = now(), revision = revision + 1, mode_before = ${host.mode},
      mode_reason_before = ${host.mode_reason}, mode_by_before = ${host.mode_by}
    where id = ${row.id} returning *`.execute(tx);
  await changeHostMode(tx, row.host, { action: "begin-maintenance", reason: row.reason, by: row.created_by });
  await recordWindowEvents(tx, "started", rows.map(windowFrom));
  return true;
}

/** Ends the window if it is due, or if its host is not in maintenance any more. Returns whether it did. */
export async function endIfDue(tx: Transaction, id: string): Promise<boolean> {
  const row = await lockWithHost(tx, id);
  if (afterWindowAction(asWindowPhase(row.phase), "end") === undefined) return false;
  const host = await hostOf(tx, row.host);
  if (row.ends_at > (await databaseNow(tx)) && host?.mode === maintenanceMode) return false;
  await endWindow(tx, row, "end");
  return true;
}

/**
 * Ends or cancels the window; the caller holds the locks of its host and of it. Throws "BUG: …" if its phase does not
 * allow that.
 */
export async function endWindow(
  tx: Transaction,
  { id, host: name, phase: before, mode_before, mode_reason_before, mode_by_before }: WindowRow,
  action: "end" | "cancel",
): Promise<MaintenanceWindow> {
  const phase = afterWindowAction(asWindowPhase(before), action);
  if (phase === undefined) throw new Error(`BUG: a maintenance window that is ${before} cannot ${action}`);
  const { rows } = await sql<WindowRow>`
    update maintenance_windows set phase = ${phase}, ended_at = now(), revision = revision + 1
    where id = ${id} returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a maintenance window locked by this transaction was not updated");
  if (mode_before !== null && (await hostOf(tx, name))?.mode === maintenanceMode) {
    const decided = { reason: mode_reason_before ?? undefined, by: mode_by_before };
    await changeHostMode(tx, name, { action: "end-maintenance", before: asHostMode(mode_before), ...decided });
  }
  const window = windowFrom(row);
  await recordWindowEvents(tx, "ended", [window]);
  return window;
}
