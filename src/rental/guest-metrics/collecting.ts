// Which instances' guests are read, and which server reads those of an engine. Used by the collector
// (reconciler/guest-metrics/).
//
// Invariant: an instance is read only if its image has the agent, which its operator says, and while it is up. That one
// server reads is no lock: two at once would only store the same twice.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { isReady, states } from "../../rules/lifecycle.ts";

export interface ReadInstance {
  readonly id: string;
  readonly host: string;
  readonly gpus: number;
  readonly gpuModel: string | null;
  readonly region: string;
  readonly hasIdleRule: boolean;
}

/** The instances of the engine whose guests are read now. */
export async function instancesWithMetrics(db: Database, engine: string): Promise<ReadInstance[]> {
  const { rows } = await sql<ReadInstance>`
    select id, host, gpus, gpu_model as "gpuModel", region, idle_rule is not null as "hasIdleRule" from instances
    where engine = ${engine} and guest_metrics and terminated_at is null
      and state = any(${states.filter((state) => isReady[state])}::text[])`.execute(db);
  return rows;
}

/**
 * True for the one server that reads the guests of the engine for the next `seconds`: it asks again before they end. If
 * it does not, another one takes over.
 */
export async function takeCollecting(db: Database, engine: string, owner: string, seconds: number): Promise<boolean> {
  const { rows } = await sql`
    insert into guest_metric_collectors as c (engine, owner, until)
    values (${engine}, ${owner}, now() + make_interval(secs => ${seconds}))
    on conflict (engine) do update set owner = excluded.owner, until = excluded.until
    where c.owner = excluded.owner or c.until <= now()
    returning 1`.execute(db);
  return rows.length > 0;
}

/** Lets another server read at once. */
export async function leaveCollecting(db: Database, engine: string, owner: string): Promise<void> {
  await db.deleteFrom("guest_metric_collectors").where("engine", "=", engine).where("owner", "=", owner).execute();
}
