// The SQL of simulated hosts.

import { sql } from "kysely";
import { type GpuList, gpuListsOf, gpusByHost } from "../../database/gpu-lists.ts";
import type { HostReport } from "../engine.ts";
import { faultsFor, faultsForHosts, type HostFault } from "./fault-store.ts";
import type { Fault } from "./faults.ts";
import type { SimulatorDatabase } from "./schema.ts";

/** Every host with its GPUs, and the faults that apply to the call and to its report, in one statement. */
export async function readHosts(
  world: SimulatorDatabase,
): Promise<{ faults: readonly Fault[] | null; hostFaults: readonly HostFault[] | null; hosts: HostReport[] }> {
  const { rows } = await sql<{
    faults: Fault[] | null;
    host_faults: HostFault[] | null;
    hosts: Omit<HostReport, "gpus">[];
    gpu_lists: GpuList[];
  }>`
    select ${faultsFor("hosts")} as faults, ${faultsForHosts} as host_faults,
      (select coalesce(json_agg(json_build_object('name', name, 'region', region, 'vcpus', vcpus,
        'memoryGib', memory_gib, 'storageGb', storage_gb, 'available', alive, 'sharedStorage', true, 'multiAttach', true)), '[]')
      from simulated.hosts) as hosts,
      ${gpuListsOf(sql`select * from simulated.gpus`)} as gpu_lists`.execute(world);
  const [first] = rows;
  if (first === undefined) throw new Error("BUG: a select without from gave no row");
  const gpus = gpusByHost(first.gpu_lists);
  return {
    faults: first.faults,
    hostFaults: first.host_faults,
    hosts: first.hosts.map((host) => ({ ...host, gpus: gpus.get(host.name) ?? [] })),
  };
}
