// Reads maintenance windows: all of them for operators, and for an account those of hosts with its instances. Used by
// the control interface, schedule.ts and reconcile-status.ts.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { WindowPhase } from "../../rules/maintenance.ts";
import { RentalError } from "../errors.ts";
import { everything, type Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";
import { isAffected } from "./affected.ts";
import { isOpen, type MaintenanceWindow, type WindowRow, windowFrom } from "./window.ts";

/** A window with what its readers see of it. */
export interface ReadWindow extends MaintenanceWindow {
  /** The instances that it affects, by id; of an account only its own. */
  readonly instanceIds: readonly string[];
  /** The names of the accounts that made and last deferred it. For operators. */
  readonly createdBy: string;
  readonly deferredBy: string | null;
}

export interface WindowFilter extends Page {
  /** Only windows of hosts with instances of this account, and only their ids; undefined: all, for operators. */
  readonly accountId?: string | undefined;
  readonly host?: string | undefined;
  readonly groupId?: string | undefined;
  readonly phase?: WindowPhase | undefined;
  /** Only windows that end after `from` and begin before `to`. */
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
}

/** In the order in which they were made. */
export async function listWindows(db: Database, filter: WindowFilter = everything): Promise<ReadWindow[]> {
  const { after, limit, host, groupId, phase, from, to } = filter;
  const conditions = [
    ...(after === undefined ? [] : [sql<boolean>`w.id > ${after}::uuid`]),
    ...(host === undefined ? [] : [sql<boolean>`w.host = ${host}`]),
    ...(groupId === undefined ? [] : [sql<boolean>`w.group_id = ${asUuid(groupId)}`]),
    ...(phase === undefined ? [] : [sql<boolean>`w.phase = ${phase}`]),
    ...(from === undefined ? [] : [sql<boolean>`coalesce(w.ended_at, w.ends_at) > ${from}`]),
    ...(to === undefined ? [] : [sql<boolean>`w.begins_at < ${to}`]),
  ];
  return select(db, filter.accountId, conditions, limit);
}

/** `id` as the client wrote it; with an account only a window that affects it. Throws RentalError unknown-object. */
export async function readWindow(db: Database, id: string, accountId?: string): Promise<ReadWindow> {
  const [window] = await select(db, accountId, [sql<boolean>`w.id = ${asUuid(id)}`], 1);
  if (window === undefined) throw unknownWindow(id);
  return window;
}

export function unknownWindow(id: string): RentalError {
  return new RentalError("unknown-object", { what: "maintenance window", ids: [id] });
}

/** `limit null` means no limit in SQL. */
async function select(
  db: Database,
  accountId: string | undefined,
  conditions: readonly RawBuilder<boolean>[],
  limit: number | undefined,
): Promise<ReadWindow[]> {
  const own = accountId === undefined ? sql<boolean>`true` : sql<boolean>`i.account_id = ${asUuid(accountId)}`;
  const seen = accountId === undefined ? sql<boolean>`true` : sql<boolean>`affected.ids <> '{}'`;
  const { rows } = await sql<WindowRow & { instance_ids: string[]; creator: string; deferrer: string | null }>`
    select w.*, affected.ids as instance_ids, (select a.name from accounts a where a.id = w.created_by) as creator,
      (select a.name from accounts a where a.id = w.deferred_by) as deferrer
    from maintenance_windows w cross join lateral (
      select coalesce(array_agg(i.id order by i.id), '{}') as ids from instances i where ${isAffected} and ${own}) affected
    where ${sql.join([seen, ...conditions], sql` and `)}
    order by w.id limit ${limit ?? null}`.execute(db);
  return rows.map((row) => ({
    ...windowFrom(row),
    instanceIds: row.instance_ids,
    createdBy: row.creator,
    deferredBy: row.deferrer,
  }));
}

/** The window in this row, locked; undefined: none. */
export async function lockWindow(tx: Transaction, id: string): Promise<WindowRow | undefined> {
  const { rows } = await sql<WindowRow>`select * from maintenance_windows where id = ${asUuid(id)} for update`.execute(
    tx,
  );
  return rows[0];
}

/** Locks the host of this window and then the window, as all who change it do. Throws RentalError unknown-object. */
export async function lockWithHost(tx: Transaction, id: string): Promise<WindowRow> {
  // The host of a window never changes.
  await sql`
    select from hosts where name = (select host from maintenance_windows where id = ${asUuid(id)}) for update`.execute(
    tx,
  );
  const row = await lockWindow(tx, id);
  if (row === undefined) throw unknownWindow(id);
  return row;
}

/**
 * The open window of one of these hosts that overlaps this time, other than `except`. The caller holds the hosts' row
 * locks, under which all windows of them are made and moved.
 */
export async function overlapping(
  tx: Transaction,
  hosts: readonly string[],
  { beginsAt, endsAt }: Pick<MaintenanceWindow, "beginsAt" | "endsAt">,
  except?: string,
): Promise<MaintenanceWindow | undefined> {
  const { rows } = await sql<WindowRow>`
    select w.* from maintenance_windows w
    where w.host = any(${[...hosts]}::text[]) and ${isOpen} and w.begins_at < ${endsAt} and w.ends_at > ${beginsAt}
      and w.id is distinct from ${except ?? null}::uuid
    order by w.host, w.begins_at limit 1`.execute(tx);
  const [row] = rows;
  return row === undefined ? undefined : windowFrom(row);
}
