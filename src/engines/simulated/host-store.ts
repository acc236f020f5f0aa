// The SQL of simulated hosts.

import { sql } from "kysely";
import type { HostReport } from "../engine.ts";
import { behavioursFor } from "./behaviour-store.ts";
import type { Behaviour } from "./behaviours.ts";
import type { World } from "./schema.ts";

/** Every host with its GPUs, and what stands in the way, in one statement. */
export async function readHosts(
  world: World,
): Promise<{ behaviours: readonly Behaviour[] | null; hosts: HostReport[] }> {
  const { rows } = await sql<{ behaviours: Behaviour[] | null; host: HostReport | null }>`
    select ${behavioursFor("hosts")} as behaviours, null::jsonb as host
    union all
    select null, jsonb_build_object('name', h.name, 'region', h.region, 'vcpus', h.vcpus, 'memoryGib', h.memory_gib,
      'storageGb', h.storage_gb, 'available', h.alive, 'sharedStorage', true, 'gpus', coalesce(g.gpus, '[]'))
    from simulated.hosts h left join (
      select host, jsonb_agg(jsonb_build_object('address', address, 'model', model, 'memoryGib', memory_gib,
        'numaNode', numa_node, 'healthy', healthy) order by address) as gpus
      from simulated.gpus group by host
    ) g on g.host = h.name`.execute(world);
  const [first, ...others] = rows;
  if (first === undefined) throw new Error("BUG: a select without from gave no row");
  return { behaviours: first.behaviours, hosts: others.flatMap(({ host }) => host ?? []) };
}
