// Which hosts an engine reaches, and what happens to a lost one that it reaches again. Used by the resync.
//
// Invariant: a lost host accepts instances only after a resync that reached it and found nothing of ended rentals on it;
// then it is cordoned, and an operator decides about it.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { lostMode } from "../../rules/host-lifecycle.ts";
import { resyncSettingOf } from "../capacity/engine-health.ts";
import { changeHostMode } from "./change-mode.ts";
import { allHosts, type HostScope, isInScope } from "./host-scope.ts";
import { recordOutages } from "./outages.ts";
import { unblockFileSystems } from "./verified-off.ts";

/** Hosts per transaction, so that locks are held for some milliseconds. */
const BATCH = 500;

/** The time now, as `listedAt` of a listing that begins. */
export async function listingBegins(db: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a from gives a row");
  return row.now;
}

/**
 * Records which hosts of the engine it does not reach; undefined: none. Since when: the last listing of all, which
 * reached them, or when the host was reached again after that; an outage that ends is kept (outages.ts). A listing that
 * began (`listedAt`) before another one that was recorded already, by a faster replica, changes nothing. Locks in order
 * of name.
 */
export async function recordReached(
  db: Database,
  engine: string,
  unreached: readonly string[] | undefined,
  listedAt: Date,
  scope: HostScope = allHosts,
): Promise<void> {
  const isNewest = sql<boolean>`not exists (
    select from settings where name = ${resyncSettingOf(engine)} and (value ->> 'listed_at')::timestamptz > ${listedAt})`;
  const names = sql`${[...(unreached ?? [])]}::text[]`;
  const isUnreached = unreached === undefined ? sql<boolean>`true` : sql<boolean>`name = any(${names})`;
  const isMeant = sql<boolean>`engine = ${engine} and ${isInScope(scope, sql`name`)}
    and (reach_changed_at is null or reach_changed_at <= ${listedAt})`;
  for (;;) {
    // Found by index, and once more under the lock: another replica can have recorded the same meanwhile.
    const { rows } = await sql`
      with changed as materialized (
        select name, unreachable_since from hosts
        where engine = ${engine} and ${isNewest} and name in (
          select name from hosts where ${isMeant} and unreachable_since is null and ${isUnreached}
          union all
          select name from hosts where ${isMeant} and unreachable_since is not null and not ${isUnreached})
          and ${isMeant} and (unreachable_since is null) = (${isUnreached})
        order by name limit ${BATCH} for update
      ), recorded as (${recordOutages(sql`select * from changed where unreachable_since is not null`)})
      update hosts h set off_since = null, unreachable_since = case when changed.unreachable_since is not null then null else
        coalesce(greatest(h.reach_changed_at,
          (select (value ->> 'listed_at')::timestamptz from settings where name = ${resyncSettingOf(engine)})), now()) end,
        reach_changed_at = ${listedAt}
      from changed where h.name = changed.name returning 1`.execute(db);
    if (rows.length < BATCH) break;
  }
  if (scope.only !== undefined) return;
  await sql`
    insert into settings as s (name, value) values (${resyncSettingOf(engine)}, jsonb_build_object('listed_at', ${listedAt}::timestamptz))
    on conflict (name) do update set value = s.value || excluded.value where ${isNewest}`.execute(db);
}

/** The hosts of these that were not reached last. */
export async function unreachedHosts(db: Database, engine: string, scope: HostScope): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from hosts
    where engine = ${engine} and unreachable_since is not null and ${isInScope(scope, sql`name`)}`.execute(db);
  return rows.map(({ name }) => name);
}

/** The lost hosts of these that this listing reached, by name: not those that were lost after it began. */
export async function lostHostsReached(
  db: Database,
  engine: string,
  listedAt: Date,
  scope: HostScope = allHosts,
): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from hosts
    where engine = ${engine} and mode = ${sql.lit(lostMode)} and unreachable_since is null and state_since < ${listedAt}
      and ${isInScope(scope, sql`name`)}
      and not exists (
        select from settings where name = ${resyncSettingOf(engine)} and (value ->> 'listed_at')::timestamptz > ${listedAt})
    order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** Whether every host of the engine (`host`: this one) is lost, and there is one: then nothing on it is kept. */
export async function isAllLost(db: Database, engine: string, host: string | undefined): Promise<boolean> {
  const { rows } = await sql<{ lost: boolean | null }>`
    select bool_and(mode = ${sql.lit(lostMode)}) as lost from hosts
    where engine = ${engine} and (${host ?? null}::text is null or name = ${host ?? null})`.execute(db);
  return rows[0]?.lost === true;
}

/** The lost host is reached, and nothing of ended rentals is on it: it is cordoned. */
export async function returnHost(db: Database, name: string): Promise<void> {
  const reason = "It was lost and has returned. Nothing of ended rentals is left on it.";
  await inTransaction(db, async (tx) => {
    // Not reached any more: the next resync that reaches it looks again.
    const { rows } = await sql`
      select from hosts where name = ${name} and unreachable_since is null and mode = ${sql.lit(lostMode)} for update`.execute(
      tx,
    );
    if (rows.length === 0) return;
    await changeHostMode(tx, name, { action: "return", reason, by: null });
    await unblockFileSystems(tx, name);
  });
}
