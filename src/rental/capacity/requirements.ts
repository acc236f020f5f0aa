// What a product takes from a host, and how often a host can give it. The one place that says what "fits" means:
// CPU, memory, storage and GPUs of the right model, all four. placement.ts says the same in SQL, held together by
// placement.test.ts.

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
