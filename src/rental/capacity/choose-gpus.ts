// Chooses an instance's GPUs among a host's free ones: from one NUMA node if possible, and from the node that is left
// least fragmented, so that a node's full set stays whole for the next instance that needs it.

export interface FreeGpu {
  readonly address: string;
  readonly numaNode: number;
}

/**
 * The addresses of `count` free GPUs. Prefers the fullest NUMA node that has enough; otherwise takes the emptiest nodes
 * whole first, so that the instance spans few nodes. Throws "BUG: …" if there are fewer than `count`: the pool was
 * counted under the same lock.
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
