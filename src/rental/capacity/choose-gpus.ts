// Which of a host's free GPUs an instance gets: of one NUMA node where possible, and of the node that is left least
// fragmented, so that a node's full set stays whole for the next instance that needs it (design, Capacity).

export interface FreeGpu {
  readonly address: string;
  readonly numaNode: number;
}

/**
 * The addresses of `count` of the free GPUs. Prefers the fullest NUMA node that still has enough; where none has,
 * takes the emptiest nodes whole first, so that the instance spans as few nodes as can be.
 * Throws "BUG: …" when there are fewer than `count`: the pool was counted under the same lock.
 */
export function chooseGpus(free: readonly FreeGpu[], count: number): string[] {
  if (free.length < count) throw new Error(`BUG: ${count} GPUs wanted where ${free.length} are free`);
  const nodes = byNode(free);
  const enough = nodes.filter((node) => node.length >= count).sort((a, b) => a.length - b.length);
  const order = enough[0] ?? nodes.sort((a, b) => b.length - a.length).flat();
  return order.slice(0, count).map((gpu) => gpu.address);
}

function byNode(free: readonly FreeGpu[]): FreeGpu[][] {
  const nodes = new Map<number, FreeGpu[]>();
  for (const gpu of [...free].sort((a, b) => a.address.localeCompare(b.address))) {
    const node = nodes.get(gpu.numaNode);
    if (node === undefined) nodes.set(gpu.numaNode, [gpu]);
    else node.push(gpu);
  }
  return [...nodes.entries()].sort(([a], [b]) => a - b).map(([, gpus]) => gpus);
}
