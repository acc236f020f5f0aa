// Whether an answer that was made earlier still says what is so: what a server compares before it shows it again.
//
// How it is exact without a row that every change waits for. Each transaction that changes something an account can list
// leaves its own id, in a row of its own (migration 0009, by triggers). A snapshot's xmin is the oldest transaction that was
// still running when it was taken: everything before it had ended. So an answer that was read after moment A is still
// so at moment B, unless the account has a mark at B that is not older than A's xmin. However late a transaction
// commits, its mark is seen by every look after its commit, on every server; the price is that what committed shortly
// before A is now and then read once more. The same holds for the catalogue and, by `hosts.changed_in`, for room.
//
// Who changes rows with triggers off leaves no mark: a restore does, while no server runs; nobody else may.
//
// Invariant: a moment that is used for an answer was taken before anything of that answer was read, and a moment that
// an answer is held against was taken after its request had arrived.
//
// Ids of transactions mean something within one run of the database server only. A run ends with its postmaster; and with
// a crash that the postmaster survives, after which ids of the last moments may be given out once more: that discards
// the server's statistics, so when they begin tells runs apart (serverRun).
//
// Used by accounts/token-store.ts, which takes the moment with the look-up of a request's token, by capacity/cache.ts, and by http/kept/.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/connect.ts";

/** What the database says of changes, all of one snapshot. Ids of transactions of one cluster, but for hosts. */
export interface DatabaseSnapshot {
  /** The run of the database server. */
  readonly run: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: number;
  /** Every transaction before it had ended. */
  readonly horizon: number;
  /** The newest mark of the account; 0: none. */
  readonly account: number;
  /** The newest mark of the catalogue; 0: none. */
  readonly catalog: number;
  /** As `horizon`, by the clock that hosts are marked with (database/logical-clock.ts). */
  readonly hostHorizon: bigint;
  /** The newest mark of a host, also of one that was removed; 0: none. */
  readonly hosts: bigint;
}

/** What an answer is made of. */
export type Source = "account" | "catalog";

/** Whether nothing was changed between the two moments that an answer of this source shows. */
export function isUnchanged(source: Source, before: DatabaseSnapshot, now: DatabaseSnapshot): boolean {
  if (before.run !== now.run) return false;
  if (source === "account") return now.account < before.horizon;
  return now.catalog < before.horizon && now.hosts < before.hostHorizon;
}

/** What is another text in another run of the database server: an expression. */
export const serverRun: RawBuilder<string> = sql`
  concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time())`;

/** The moment as columns of a query over `accountId` (an expression). Read them with `momentOf`. */
export function momentColumns(accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    ${serverRun} as moment_run,
    extract(epoch from now()) * 1000 as moment_now,
    pg_snapshot_xmin(pg_current_snapshot())::text as moment_horizon,
    (select max(c.tx)::text from account_changes c where c.account_id = ${accountId}) as moment_account,
    (select max(tx)::text from catalog_changes) as moment_catalog,
    logical_horizon()::text as moment_host_horizon,
    greatest((select max(changed_in) from hosts), (select max(changed_in) from removed_hosts))::text as moment_hosts`;
}

export interface MomentRow {
  readonly moment_run: string;
  readonly moment_now: string;
  readonly moment_horizon: string;
  readonly moment_account: string | null;
  readonly moment_catalog: string | null;
  readonly moment_host_horizon: string;
  readonly moment_hosts: string | null;
}

export function momentOf(row: MomentRow): DatabaseSnapshot {
  return {
    run: row.moment_run,
    nowMs: Number(row.moment_now),
    horizon: Number(row.moment_horizon),
    account: Number(row.moment_account ?? 0),
    catalog: Number(row.moment_catalog ?? 0),
    hostHorizon: BigInt(row.moment_host_horizon),
    hosts: BigInt(row.moment_hosts ?? 0),
  };
}

/**
 * Deletes marks that newer ones stand for, and those of another cluster (after a restore), which would count as newer
 * than everything that comes. Gives how many.
 */
export async function deleteOldMarks(db: Database): Promise<number> {
  const foreign = sql`tx >= pg_snapshot_xmax(pg_current_snapshot())`;
  const deletions = [
    sql`delete from account_changes where ${foreign}`,
    sql`delete from catalog_changes where ${foreign}`,
    sql`
      delete from account_changes c
      using (select account_id, max(tx) as tx from account_changes group by account_id having count(*) > 1) newest
      where c.account_id = newest.account_id and c.tx < newest.tx`,
    sql`delete from catalog_changes where tx < (select max(tx) from catalog_changes)`,
  ];
  let deleted = 0;
  for (const deletion of deletions) deleted += Number((await deletion.execute(db)).numAffectedRows ?? 0n);
  return deleted;
}
