// What happens to hosts and instances while their engine does not respond or is not configured.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { idsOf } from "../database/pages.ts";
import { inTransaction } from "../database/transaction.ts";
import { listingBegins, recordReached } from "../rental/hosts/lost-hosts.ts";
import { recordHostStates } from "../rental/hosts/state-events.ts";
import { asHostState } from "../rules/host-lifecycle.ts";
import { finalState, isLive } from "../rules/lifecycle.ts";
import type { Log } from "./log.ts";
import { alignOutages, expectedOn, recordHealth } from "./resync-store.ts";

/** Hosts per transaction, so that locks are held for some milliseconds. */
const BATCH = 500;

/** Makes hosts unavailable and instances unreachable until the next successful resync. */
export async function noteOutage(db: Database, engine: string): Promise<void> {
  await recordReached(db, engine, undefined, await listingBegins(db));
  while ((await noteUnavailable(db, engine)) === BATCH);
  const reachable: string[] = [];
  for await (const page of expectedOn(db, engine)) {
    const lost = page.filter(({ state, health }) => isLive[state] && health === "ok");
    for (const group of lost) reachable.push(...idsOf(group));
  }
  await recordHealth(db, reachable, "unreachable");
  await alignOutages(db, engine);
}

/** Makes some of its hosts unavailable, and returns how many. Locks in order of name. */
async function noteUnavailable(db: Database, engine: string): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rows } = await sql<{ id: string; name: string; mode_reason: string | null; from: string; to: string }>`
      update hosts h set available = false from (
        select name, state from hosts where engine = ${engine} and available order by name limit ${BATCH} for update
      ) before
      where h.name = before.name
      returning h.id, h.name, h.mode_reason, before.state as from, h.state as to`.execute(tx);
    await recordHostStates(
      tx,
      rows.map(({ mode_reason: reason, from, to, ...host }) => ({
        ...host,
        from: asHostState(from),
        to: asHostState(to),
        reason,
      })),
    );
    return rows.length;
  });
}

/** Logs engines that have hosts but are not configured, and makes those hosts unavailable. */
export async function tellOfStrangers(db: Database, engines: readonly string[], log: Log): Promise<void> {
  const { rows } = await sql<{ engine: string; hosts: number; instances: number }>`
    select h.engine, count(*)::integer as hosts,
      (select count(*)::integer from instances i where i.engine = h.engine and i.state <> ${sql.lit(finalState)}) as instances
    from hosts h where h.engine <> all(${engines}::text[]) group by h.engine`.execute(db);
  for (const { engine, hosts, instances } of rows) {
    log.error({ engine, hosts, instances }, "engine with hosts is not configured; its reconciliation is paused");
    await noteOutage(db, engine);
  }
}
