// What an instance type takes from a host, how often it fits, and how a quantity spreads over hosts. The only
// definition of "fits": CPU, memory, storage and GPUs of the right model. host-lock.ts says the same in SQL;
// requirements.test.ts compares both. Used wherever hosts are proposed, filled or counted.

import type { InstanceType } from "../instances/instance.ts";
import { nodesOfNext } from "./choose-gpus.ts";
import { type Fits, fitsWithout } from "./gpu-partitions.ts";

/** A host's free capacity. `gpus` by GPU model. */
export interface Room {
  readonly freeVcpus: number;
  readonly freeMemoryGib: number;
  readonly freeStorageGb: number;
  readonly gpus: ReadonlyMap<string, GpuPool>;
}

/** What one instance takes. */
export type Needs = Pick<InstanceType, "gpuModel" | "gpus" | "vcpus" | "memoryGib" | "storageGb">;

/** A host's GPUs of one model. */
export interface GpuPool {
  /** With those that instances have, and unhealthy ones. */
  readonly total: number;
  readonly free: number;
  /** The free ones of each NUMA node, by node. */
  readonly freeByNode: readonly number[];
  /** How many more instances fit by the partitions of their NVSwitch board; undefined: it has none. */
  readonly fits?: Fits | undefined;
}

/** How many instances of the type fit. */
export function howManyFit(room: Room, product: Needs): number {
  const pool = product.gpuModel === null ? undefined : room.gpus.get(product.gpuModel);
  const byGpu = product.gpuModel === null ? Number.POSITIVE_INFINITY : howOften(pool, product.gpus);
  return Math.floor(
    Math.min(
      room.freeVcpus / product.vcpus,
      room.freeMemoryGib / product.memoryGib,
      room.freeStorageGb / product.storageGb,
      byGpu,
    ),
  );
}

function howOften(pool: GpuPool | undefined, gpus: number): number {
  if (pool?.fits !== undefined) return pool.fits.get(gpus) ?? 0;
  return (pool?.free ?? 0) / gpus;
}

/** The remaining capacity after `times` instances of the type, which fit. */
export function without(room: Room, product: Needs, times: number): Room {
  const gpus = new Map(room.gpus);
  const pool = product.gpuModel === null ? undefined : gpus.get(product.gpuModel);
  if (product.gpuModel !== null && pool !== undefined)
    gpus.set(product.gpuModel, withoutGpus(pool, product.gpus, times));
  return {
    freeVcpus: room.freeVcpus - times * product.vcpus,
    freeMemoryGib: room.freeMemoryGib - times * product.memoryGib,
    freeStorageGb: room.freeStorageGb - times * product.storageGb,
    gpus,
  };
}

function withoutGpus(pool: GpuPool, count: number, times: number): GpuPool {
  const freeByNode = [...pool.freeByNode];
  for (let time = 0; time < times; time++) {
    for (const { node, count: here } of nodesOfNext(freeByNode, count))
      freeByNode[node] = (freeByNode[node] ?? 0) - here;
  }
  const fits = pool.fits === undefined ? undefined : fitsWithout(pool.fits, count, times);
  return { ...pool, free: pool.free - times * count, freeByNode, fits };
}

/**
 * How many of `quantity` instances each host takes: as many as fit, in the given order. Reads no host from the iterator
 * once all have a place. Undefined: insufficient capacity on all hosts together.
 */
export function fill<H>(
  hosts: Iterable<H>,
  roomOf: (host: H) => Room,
  product: Needs,
  quantity: number,
): Map<H, number> | undefined {
  const taken = new Map<H, number>();
  let missing = quantity;
  for (const host of hosts) {
    const here = Math.min(missing, howManyFit(roomOf(host), product));
    if (here > 0) taken.set(host, here);
    missing -= here;
    if (missing === 0) return taken;
  }
  return undefined;
}
