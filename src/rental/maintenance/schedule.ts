// What operators decide about maintenance windows: schedule them for one host or for those that a selector finds, change
// them, and cancel or end them. Used by the control interface.
//
// Invariant: a window changes only as rules/maintenance.ts says, under the locks of its host and itself, with its events
// in the same transaction; so of two operators at once the second sees what the first has decided, and is rejected if
// that overlaps, or if it named another revision. No two open windows of a host overlap: the database rejects that.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Transaction } from "../../database/connect.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import {
  afterWindowAction,
  asWindowPhase,
  initialPhase,
  type MaintenanceMode,
  mostHostsAtOnce,
  type WindowAction,
} from "../../rules/maintenance.ts";
import { listHosts } from "../capacity/host-reading.ts";
import { lockHosts } from "../capacity/host-store.ts";
import { invalid, RentalError, unknownName } from "../errors.ts";
import { checkReason } from "../instances/reason.ts";
import { parseTagFilter } from "../instances/tags.ts";
import { type ClearingParts, clearForWindow } from "../reservations/clear-windows.ts";
import { databaseNow, endWindow } from "./begin-end.ts";
import { type MaintenanceWindow, type WindowRow, windowFrom } from "./window.ts";
import { recordWindowEvents } from "./window-events.ts";
import { lockWithHost, overlapping, readWindow } from "./window-store.ts";
import { checkEnd, checkTimes, type WindowTimes } from "./window-times.ts";

export interface WindowOrder extends WindowTimes {
  /** Exactly one of the two: a host's name, or a selector of labels, for a window of each host that it finds. */
  readonly host: string | undefined;
  readonly selector: string | undefined;
  /** One line, which the accounts with instances on the host read. */
  readonly reason: string;
  readonly mode: MaintenanceMode;
}

/** Absent fields stay as they are. */
export interface WindowChange {
  readonly beginsAt?: Date | undefined;
  readonly endsAt?: Date | undefined;
  readonly deferrableUntil?: Date | null | undefined;
  readonly reason?: string | undefined;
  readonly mode?: MaintenanceMode | undefined;
  /** The revision that the operator has seen; another one is a conflict. */
  readonly revision?: number | undefined;
}

/**
 * Makes a window of each host, all or none, in a few statements: the locks of all hosts are held meanwhile. `by`: the operator's account. `parts`: for
 * reservations whose slots move. Throws RentalError invalid-parameters, unknown-name (the host), and conflict: a window of
 * the host overlaps, the host is lost, or it is promised to a reservation at that time and no other host has the capacity.
 */
export async function scheduleWindows(
  tx: Transaction,
  order: WindowOrder,
  by: string,
  parts?: ClearingParts,
): Promise<MaintenanceWindow[]> {
  checkTexts(order);
  checkTimes(order, await databaseNow(tx));
  const hosts = await hostsOf(tx, order);
  await clearForWindow(tx, hosts, order, parts);
  const locked = await lockHosts(tx, hosts);
  const gone = hosts.find((host) => !locked.has(host));
  if (gone !== undefined) throw unknownName(order.host === undefined ? "selector" : "host", "host", gone);
  await refuseLost(tx, hosts);
  await refuseOverlap(tx, hosts, order);
  const { rows } = await sql<WindowRow>`
    insert into maintenance_windows (id, group_id, host, begins_at, ends_at, reason, mode, phase, deferrable_until, created_by)
    select id, ${uuidv7()}, host, ${order.beginsAt}, ${order.endsAt}, ${order.reason}, ${order.mode}, ${initialPhase},
      ${order.deferrableUntil}::timestamptz, ${by}
    from unnest(${hosts.map(() => uuidv7())}::uuid[], ${hosts}::text[]) as one (id, host)
    returning *`.execute(tx);
  const windows = rows.map(windowFrom);
  await recordWindowEvents(tx, "scheduled", windows);
  return windows;
}

/** By name. */
async function hostsOf(tx: Transaction, { host, selector }: WindowOrder): Promise<string[]> {
  if (host !== undefined && selector === undefined) return [host];
  if (selector === undefined || host !== undefined) throw invalid("host", "Give either `host` or `selector`.");
  const found = await listHosts(tx, { limit: mostHostsAtOnce + 1 }, { selector: parseTagFilter(selector, "selector") });
  if (found.length > mostHostsAtOnce) throw invalid("selector", `Finds more than ${mostHostsAtOnce} hosts.`);
  const names = found.filter(({ mode }) => mode !== lostMode).map(({ name }) => name);
  if (names.length === 0) throw invalid("selector", "Finds no host with these labels.");
  return names;
}

/**
 * Changes a window that has not begun, or the end of one that has. What stays as it is, is no change. Throws RentalError
 * unknown-object, invalid-parameters and conflict.
 */
export async function changeWindow(
  tx: Transaction,
  id: string,
  change: WindowChange,
  parts?: ClearingParts,
): Promise<MaintenanceWindow> {
  // Before the window is locked, as all hosts are.
  const seen = await readWindow(tx, id);
  const times = { beginsAt: change.beginsAt ?? seen.beginsAt, endsAt: change.endsAt ?? seen.endsAt };
  await clearForWindow(tx, [seen.host], times, parts);
  const row = await lockWithHost(tx, id);
  const window = windowFrom(row);
  refuseOldRevision(window, change.revision);
  const after = {
    beginsAt: change.beginsAt ?? window.beginsAt,
    endsAt: change.endsAt ?? window.endsAt,
    deferrableUntil: change.deferrableUntil === undefined ? window.deferrableUntil : change.deferrableUntil,
    reason: change.reason ?? window.reason,
    mode: change.mode ?? window.mode,
  };
  const isEndOnly =
    after.beginsAt.getTime() === window.beginsAt.getTime() &&
    after.deferrableUntil?.getTime() === window.deferrableUntil?.getTime() &&
    after.reason === window.reason &&
    after.mode === window.mode;
  refuseUnless(window, isEndOnly ? "move-end" : "reschedule");
  if (isEndOnly && after.endsAt.getTime() === window.endsAt.getTime()) return window;
  checkTexts(after);
  const now = await databaseNow(tx);
  if (isEndOnly) checkEnd(after, now);
  else checkTimes(after, now);
  await refuseOverlap(tx, [window.host], after, window.id);
  return rewrite(tx, window.id, after);
}

/** Cancels a window that has not begun, and ends one that has. Throws RentalError unknown-object and conflict. */
export async function removeWindow(
  tx: Transaction,
  id: string,
  revision: number | undefined,
): Promise<MaintenanceWindow> {
  const row = await lockWithHost(tx, id);
  const window = windowFrom(row);
  refuseOldRevision(window, revision);
  const action = afterWindowAction(window.phase, "cancel") === undefined ? "end" : "cancel";
  refuseUnless(window, action);
  return endWindow(tx, row, action);
}

/** Writes what changed, in a new revision, with the events. The caller holds the locks. */
export async function rewrite(
  tx: Transaction,
  id: string,
  after: WindowTimes & Pick<MaintenanceWindow, "reason" | "mode">,
): Promise<MaintenanceWindow> {
  const { rows } = await sql<WindowRow>`
    update maintenance_windows set begins_at = ${after.beginsAt}, ends_at = ${after.endsAt}, reason = ${after.reason},
      mode = ${after.mode}, deferrable_until = ${after.deferrableUntil}, revision = revision + 1
    where id = ${id} returning *`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a maintenance window locked by this transaction was not updated");
  const window = windowFrom(row);
  await recordWindowEvents(tx, "scheduled", [window]);
  return window;
}

function checkTexts({ reason }: Pick<MaintenanceWindow, "reason">): void {
  const problem = checkReason(reason);
  if (problem !== undefined) throw invalid("reason", problem);
}

async function refuseLost(tx: Transaction, hosts: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select name from hosts where name = any(${[...hosts]}::text[]) and mode = ${sql.lit(lostMode)}
    order by name limit 1`.execute(tx);
  const [lost] = rows;
  if (lost === undefined) return;
  throw new RentalError("conflict", {
    message: `Host ${lost.name} is lost: no maintenance of it can be scheduled.`,
    suggestion: "Wait until it returns, or delete it.",
  });
}

/** Throws RentalError conflict, which names the other window. */
async function refuseOverlap(
  tx: Transaction,
  hosts: readonly string[],
  times: Pick<WindowTimes, "beginsAt" | "endsAt">,
  except?: string,
): Promise<void> {
  const other = await overlapping(tx, hosts, times, except);
  if (other === undefined) return;
  const [from, to] = [other.beginsAt.toISOString(), other.endsAt.toISOString()];
  throw new RentalError("conflict", {
    message: `Host ${other.host} has the maintenance window ${other.id} from ${from} to ${to}.`,
    suggestion: "Choose another time, or change or cancel that window first.",
  });
}

function refuseOldRevision({ id, revision }: MaintenanceWindow, seen: number | undefined): void {
  if (seen === undefined || seen === revision) return;
  throw new RentalError("conflict", {
    message: `The maintenance window ${id} has changed since revision ${seen}: it has revision ${revision} now.`,
    suggestion: "Read the window, and decide again.",
  });
}

/** Throws RentalError conflict where the phase of the window rejects the action. */
export function refuseUnless({ id, phase }: Pick<MaintenanceWindow, "id" | "phase">, action: WindowAction): void {
  if (afterWindowAction(asWindowPhase(phase), action) !== undefined) return;
  const canMoveEnd = afterWindowAction(phase, "move-end") !== undefined;
  throw new RentalError("conflict", {
    message: `The maintenance window ${id} ${canMoveEnd ? "has begun" : "is over"}.`,
    suggestion: canMoveEnd ? "Change only its end, or end it." : "Schedule another one.",
  });
}
