// Counts the GPU pools of hosts from their GPUs: after their hardware changed (capacity/host-store.ts), and after the state
// of a GPU did (decisions.ts, resets.ts). What takes GPUs and gives them back counts by itself (host-lock.ts, release.ts).
//
// Invariant: `total` counts the GPUs of a model, `free` the healthy ones that are offered. The caller holds the locks of the
// hosts' rows.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { isOffered } from "./gpu-sql.ts";

export async function recountPools(tx: Transaction, hosts: readonly string[]): Promise<void> {
  await sql`
    delete from gpu_pools p where p.host = any(${hosts}::text[])
      and not exists (select from gpus g where g.host = p.host and g.model = p.model)`.execute(tx);
  await sql`
    insert into gpu_pools as p (host, model, total, free)
    select host, model, count(*), count(*) filter (where healthy and ${isOffered(sql`state`)})
    from gpus where host = any(${hosts}::text[]) group by host, model
    on conflict (host, model) do update set total = excluded.total, free = excluded.free
    where (p.total, p.free) is distinct from (excluded.total, excluded.free)`.execute(tx);
}

/** After the state of a GPU has changed. Also marks its host as changed, so that every replica counts its capacity again. */
export async function recountPoolsOf(tx: Transaction, host: string): Promise<void> {
  await recountPools(tx, [host]);
  await sql`update hosts set name = name where name = ${host}`.execute(tx);
}
