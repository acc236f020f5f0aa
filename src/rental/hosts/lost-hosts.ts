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

/**
 * Records which hosts of the engine it does not reach now; undefined: none. Since when: its last successful resync,
 * which reached them. Locks in order of name.
 */
export async function recordReached(
  db: Database,
  engine: string,
  unreached: readonly string[] | undefined,
): Promise<void> {
  const names = sql`${[...(unreached ?? [])]}::text[]`;
  const isUnreached = unreached === undefined ? sql<boolean>`true` : sql<boolean>`name = any(${names})`;
  await sql`
    update hosts h set unreachable_since = case when changed.is_reached then null else
      coalesce((select (value ->> 'good_at')::timestamptz from settings where name = ${resyncSettingOf(engine)}), now()) end
    from (
      select name, unreachable_since is not null as is_reached from hosts
      where engine = ${engine} and name in (
        select name from hosts where engine = ${engine} and unreachable_since is null and ${isUnreached}
        union all
        select name from hosts where engine = ${engine} and unreachable_since is not null and not ${isUnreached})
      order by name for update
    ) changed
    where h.name = changed.name`.execute(db);
}

/** The lost hosts of the engine that it reaches, by name. */
export async function lostHostsReached(db: Database, engine: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from hosts where engine = ${engine} and mode = ${sql.lit(lostMode)} and unreachable_since is null order by name`.execute(
    db,
  );
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
  await inTransaction(db, (tx) => changeHostMode(tx, name, { action: "return", reason, by: null }));
}
