// Whether an earlier response is still correct: compared before a replica sends a cached response.
//
// How it is exact without a row that every change waits for: each transaction that changes something an account can
// list leaves its id in a row of its own (migration 0009, by triggers). A snapshot's xmin is the oldest transaction
// that was running when it was taken: everything before it had ended. So a response that was read after snapshot A is
// still correct at snapshot B, unless the account has a mark at B that is not older than A's xmin. However late a
// transaction commits, every later snapshot sees its mark, on every replica; in return, what committed shortly before A
// is occasionally read again. The same holds for the catalog and, by `hosts.changed_in`, for capacity.
//
// Changing rows with triggers disabled leaves no mark: only a restore does that, while no replica runs.
//
// Invariant: the snapshot of a response was taken before anything of it was read, and the snapshot that it is compared
// with after its request had arrived.
//
// Transaction ids are comparable only within one run of the database server. A run ends with its postmaster, or with a
// crash that the postmaster survives, after which recent ids can be reused: that resets the server's statistics, so the
// reset time identifies runs (serverRun).
//
// Used by accounts/token-store.ts, which reads the snapshot with a request's token, by capacity/cache.ts, and by
// http/kept/.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../database/connect.ts";

/** The change marks of the database, from one snapshot. Transaction ids of one cluster, except hosts. */
export interface DatabaseSnapshot {
  /** The run of the database server. */
  readonly run: string;
  /** The database's clock, in milliseconds. */
  readonly nowMs: number;
  /** Every earlier transaction had ended. */
  readonly horizon: number;
  /** The newest mark of the account; 0: none. */
  readonly account: number;
  /** The newest mark of the catalogue; 0: none. */
  readonly catalog: number;
  /** As `horizon`, by the clock of host marks (database/logical-clock.ts). */
  readonly hostHorizon: bigint;
  /** The newest mark of a host, including removed ones; 0: none. */
  readonly hosts: bigint;
}

/** What a response depends on. */
export type Source = "account" | "catalog";

/** Whether nothing that a response of this source shows changed between the two snapshots. */
export function isUnchanged(source: Source, before: DatabaseSnapshot, now: DatabaseSnapshot): boolean {
  if (before.run !== now.run) return false;
  if (source === "account") return now.account < before.horizon;
  return now.catalog < before.horizon && now.hosts < before.hostHorizon;
}

/** An expression that differs between runs of the database server. */
export const serverRun: RawBuilder<string> = sql`
  concat(pg_postmaster_start_time(), ' ', pg_stat_get_bgwriter_stat_reset_time())`;

/** The snapshot as columns of a query over `accountId` (an expression). Read them with `momentOf`. */
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
 * Deletes marks with newer successors, and those of another cluster (after a restore), which would count as newer than
 * all later ones. Returns how many.
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
