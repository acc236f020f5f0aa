// Spot instances as capacity that a host could have: what plans of evictions compute with (choose-evictions.ts, plan.ts).
// Computes only.
//
// Invariant: a host here has as free what is free, and what comes back by itself: of instances that are being removed, and
// GPUs that are being reset or validated. So nothing is evicted that is on its way anyway.

import type { FreeGpu } from "../capacity/choose-gpus.ts";
import { fitsOf } from "../capacity/gpu-partitions.ts";
import { type LockedHost, poolsOf } from "../capacity/host-lock.ts";
import type { GpuPool, Room } from "../capacity/requirements.ts";

/** A spot instance that holds its capacity until it is evicted. */
export interface Evictable {
  readonly id: string;
  /** Greater than that of every earlier launch: the greater, the younger. */
  readonly position: number;
  readonly vcpus: number;
  readonly memoryGib: number;
  readonly storageGb: number;
  /** How many it has. */
  readonly gpuCount: number;
  /** Those of them that others can get when it is gone. */
  readonly gpus: readonly (FreeGpu & { readonly model: string })[];
  /** Its notice runs; another one does not have to be given. */
  readonly isUnderNotice: boolean;
}

export interface EvictionHost extends LockedHost {
  readonly evictable: readonly Evictable[];
  /** The one that instances here are being evicted for, and its position; undefined: none. */
  readonly owner: { readonly id: string; readonly position: number } | undefined;
}

/** The host when these of its instances are gone. */
export function withoutInstances<H extends LockedHost>(host: H, gone: readonly Evictable[]): H {
  const freeGpus = [...host.freeGpus, ...gone.flatMap(({ gpus }) => gpus)];
  const totals = Object.fromEntries([...host.gpus].map(([model, { total }]) => [model, total]));
  return { ...host, ...roomAfter(host, gone), freeGpus, gpus: poolsOf(freeGpus, totals, host.partitions) };
}

/** The same as far as it counts for how often an instance type fits. */
export function roomAfter(host: LockedHost, gone: readonly Evictable[]): Room {
  let { freeVcpus, freeMemoryGib, freeStorageGb } = host;
  const freed = new Map<string, number>();
  for (const { vcpus, memoryGib, storageGb, gpus } of gone) {
    freeVcpus += vcpus;
    freeMemoryGib += memoryGib;
    freeStorageGb += storageGb;
    for (const { model } of gpus) freed.set(model, (freed.get(model) ?? 0) + 1);
  }
  if (freed.size === 0) return { freeVcpus, freeMemoryGib, freeStorageGb, gpus: host.gpus };
  const gpus = new Map(host.gpus);
  for (const [model, more] of freed) {
    const pool = gpus.get(model);
    if (pool !== undefined) gpus.set(model, withMore(host, model, pool, more, gone));
  }
  return { freeVcpus, freeMemoryGib, freeStorageGb, gpus };
}

/** On an NVSwitch board, which GPUs they are decides. */
function withMore(
  { partitions, freeGpus }: LockedHost,
  model: string,
  pool: GpuPool,
  more: number,
  gone: readonly Evictable[],
): GpuPool {
  const sets = partitions.get(model);
  if (sets === undefined) return { ...pool, free: pool.free + more };
  const free = [...freeGpus, ...gone.flatMap(({ gpus }) => gpus)].filter((gpu) => gpu.model === model);
  return { ...pool, free: free.length, fits: fitsOf(sets, new Set(free.map(({ address }) => address))) };
}
