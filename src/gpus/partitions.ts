// Which GPUs the partitions are made of that a helper lists. Used by reconciler/gpu-partitions.ts.
//
// Invariant: GPUs are found by their module ids, never by PCI order; a partition of which one is not known is left out.
// Those of one size are disjoint: of two that are not, the second is left out.

import { HelperError, type HelperList } from "./helper.ts";

export interface BoardPartition {
  /** The fabric manager's own. */
  readonly id: string;
  /** Of its GPUs, in order. */
  readonly addresses: readonly string[];
  readonly isActive: boolean;
}

/** Those that can be used, and the ids of the others. Throws HelperError: active ones share a GPU. */
export function partitionsIn({ gpus, partitions }: HelperList): {
  readonly usable: readonly BoardPartition[];
  readonly leftOut: readonly string[];
} {
  const active = partitions.filter(({ isActive }) => isActive).flatMap((one) => one.gpus);
  if (new Set(active).size < active.length)
    throw new HelperError("bad-response", "Active partitions of the response share a GPU.");
  const addressOf = new Map(gpus.flatMap(({ moduleId, address }) => (moduleId === null ? [] : [[moduleId, address]])));
  const usable: BoardPartition[] = [];
  const leftOut: string[] = [];
  for (const { id, gpus: modules, isActive } of partitions) {
    const addresses = modules.flatMap((module) => addressOf.get(module) ?? []).sort();
    const isTwice = usable.some(
      (one) => one.addresses.length === addresses.length && one.addresses.some((each) => addresses.includes(each)),
    );
    if (addresses.length !== modules.length || isTwice) leftOut.push(id);
    else usable.push({ id, addresses, isActive });
  }
  return { usable, leftOut };
}
