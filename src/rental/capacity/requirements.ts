// What a product takes from a host, how often a host can give it, and how a quantity spreads over hosts. The one place that
// says what "fits" means: CPU, memory, storage and GPUs of the right model, all four. host-lock.ts says the same in SQL,
// held together by requirements.test.ts. Used wherever hosts are proposed, filled or counted.

import type { InstanceType } from "../instances/instance.ts";

/** What a host has left. `freeGpus` by GPU model. */
export interface Room {
  readonly freeVcpus: number;
  readonly freeMemoryGib: number;
  readonly freeStorageGb: number;
  readonly freeGpus: ReadonlyMap<string, number>;
}

/** How many instances of the product fit in the room. */
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

/** What is left of the room when `times` instances of the product have taken theirs. */
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
 * How many of `quantity` instances of the product each host takes: each as many as fit, in the order the hosts come in. Takes
 * no host from the iterator once all have a place. Undefined: all of these hosts together have insufficient capacity.
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
