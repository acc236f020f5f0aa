// What happens to hosts and instances while their engine does not respond or is not configured.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { idsOf } from "../database/pages.ts";
import { finalState, isLive } from "../rules/lifecycle.ts";
import type { Log } from "./log.ts";
import { expectedOn, recordHealth } from "./resync-store.ts";

/** Makes hosts unavailable and instances unreachable until the next successful resync. */
export async function noteOutage(db: Database, engine: string): Promise<void> {
  await sql`update hosts set available = false where engine = ${engine} and available`.execute(db);
  const reachable: string[] = [];
  for await (const page of expectedOn(db, engine)) {
    const lost = page.filter(({ state, health }) => isLive[state] && health === "ok");
    for (const group of lost) reachable.push(...idsOf(group));
  }
  await recordHealth(db, reachable, "unreachable");
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
