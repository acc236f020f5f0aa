// What waits for NVSwitch partitions: a machine before its start, until its partition is active, and a GPU before its
// reset, until none is that has it. Used by reconciler/reconcile.ts, reconciler/gpu-validations.ts and ../resets.ts.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../../database/connect.ts";
import { isReady, mightBeActive } from "./partition-sql.ts";

/** Whether the instance or the validation has a partition of the host that is not active for it. */
export async function waitsForPartition(db: Database, host: string, holder: string): Promise<boolean> {
  const { rows } = await sql`
    select from gpu_partitions p where p.wanted_for = ${holder} and p.host = ${host} and not ${isReady}`.execute(db);
  return rows.length > 0;
}

/** Whether an instance, a row of `instances`, has a partition of its host. */
export const hasPartition: RawBuilder<boolean> = sql<boolean>`exists (
  select from gpu_partitions p where p.wanted_for = instances.id and p.host = instances.host)`;

/** Whether no partition might be active that has this GPU, a row `g` of gpus, and nothing contradicts that. */
export const isApart: RawBuilder<boolean> = sql<boolean>`not exists (
  select from gpu_partitions p join gpu_fabrics f on f.host = p.host
  where p.host = g.host and g.address = any(p.addresses) and (${mightBeActive} or f.read_due))`;
