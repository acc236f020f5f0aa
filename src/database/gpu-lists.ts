// The GPUs of very many hosts. Most hosts have the same list of GPUs as many others, so each distinct list is read
// once, with the names of its hosts, and is one object for all of them. Read host by host from rows, 80,000 GPUs cost
// PostgreSQL four times as much, and us more than the rest of a full resync (bench/RESULTS.md, `sweep`). Used by the
// inventory (rental/capacity/host-store.ts) and by the simulated engine, whose tables have the same columns.

import { type RawBuilder, sql } from "kysely";

export interface Gpu {
  readonly address: string;
  readonly model: string;
  readonly memoryGib: number;
  readonly numaNode: number;
  readonly healthy: boolean;
}

/** A GPU as text: a list is one value then, of which PostgreSQL expects few distinct ones. */
type Columns = readonly [address: string, model: string, memoryGib: string, numaNode: string, healthy: string];

/** A list of GPUs, in order of address, and the names of the hosts that have it. */
export interface GpuList {
  readonly hosts: readonly string[];
  readonly gpus: readonly Columns[];
}

/** A subquery: the lists of these rows. */
export const gpuListsOf = (rows: RawBuilder<unknown>): RawBuilder<GpuList[]> => sql`(
  select coalesce(json_agg(json_build_object('hosts', hosts, 'gpus', gpus)), '[]') from (
    select json_agg(host) as hosts, gpus from (
      select host, array_agg(array[address, model, memory_gib::text, numa_node::text, healthy::text] order by address)
        as gpus
      from (${rows}) g group by host
    ) each group by gpus
  ) lists)`;

/** The GPUs by the name of their host; hosts without GPUs are left out. */
export function gpusByHost(lists: readonly GpuList[]): Map<string, readonly Gpu[]> {
  const byHost = new Map<string, readonly Gpu[]>();
  for (const { hosts, gpus } of lists) {
    const shared = gpus.map(gpuOf);
    for (const host of hosts) byHost.set(host, shared);
  }
  return byHost;
}

function gpuOf([address, model, memoryGib, numaNode, healthy]: Columns): Gpu {
  return { address, model, memoryGib: Number(memoryGib), numaNode: Number(numaNode), healthy: healthy === "true" };
}
