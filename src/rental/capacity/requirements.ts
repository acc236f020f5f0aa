// What an instance type takes from a host, how often it fits, and how a quantity spreads over hosts. The only
// definition of "fits": CPU, memory, storage and GPUs of the right model. host-lock.ts says the same in SQL;
// requirements.test.ts compares both. Used wherever hosts are proposed, filled or counted.

import type { InstanceType } from "../instances/instance.ts";

/** A host's free capacity. `freeGpus` by GPU model. */
export interface Room {
  readonly freeVcpus: number;
  readonly freeMemoryGib: number;
  readonly freeStorageGb: number;
  readonly freeGpus: ReadonlyMap<string, number>;
}

/** How many instances of the type fit. */
export function howManyFit(room: Room, product: InstanceType): number {
  const byGpu =
    product.gpuModel === null ? Number.POSITIVE_INFINITY : (room.freeGpus.get(product.gpuModel) ?? 0) / product.gpus;
  return Math.floor(
    Math.min(
      room.freeVcpus / product.vcpus,
      room.freeMemoryGib / product.memoryGib,
      room.freeStorageGb / product.storageGb,
      byGpu,
    ),
  );
}

/** The remaining capacity after `times` instances of the type. */
export function without(room: Room, product: InstanceType, times: number): Room {
  const freeGpus = new Map(room.freeGpus);
  if (product.gpuModel !== null) {
    freeGpus.set(product.gpuModel, (freeGpus.get(product.gpuModel) ?? 0) - times * product.gpus);
  }
  return {
    freeVcpus: room.freeVcpus - times * product.vcpus,
    freeMemoryGib: room.freeMemoryGib - times * product.memoryGib,
    freeStorageGb: room.freeStorageGb - times * product.storageGb,
    freeGpus,
  };
}

/**
 * How many of `quantity` instances each host takes: as many as fit, in the given order. Reads no host from the iterator
 * once all have a place. Undefined: insufficient capacity on all hosts together.
 */
export function fill<H>(
  hosts: Iterable<H>,
  roomOf: (host: H) => Room,
  product: InstanceType,
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
