// What becomes of hosts and instances while their engine does not answer at all, or is not configured any more.

import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { idsOf } from "../database/pages.ts";
import { finalState, isLive } from "../rules/lifecycle.ts";
import type { Log } from "./log.ts";
import { expectedOn, recordHealth } from "./resync-store.ts";

/** Hosts take nothing new, and instances are unreachable, until the next sweep that succeeds. */
export async function noteOutage(db: Database, engine: string): Promise<void> {
  await sql`update hosts set available = false where engine = ${engine} and available`.execute(db);
  const reachable: string[] = [];
  for await (const page of expectedOn(db, engine)) {
    const lost = page.filter(({ state, health }) => isLive[state] && health === "ok");
    for (const group of lost) reachable.push(...idsOf(group));
  }
  await recordHealth(db, reachable, "unreachable");
}

/** Tells of hosts and instances whose engine nobody speaks with, and lets nothing new onto them. */
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
