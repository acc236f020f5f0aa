// Chooses an instance's GPUs among a host's free ones: from one NUMA node if possible, and from the node that is left
// least fragmented, so that a node's full set stays whole for the next instance that needs it.

export interface FreeGpu {
  readonly address: string;
  readonly numaNode: number;
}

/**
 * The addresses of `count` free GPUs, from the nodes that `nodesOfNext` chooses. Throws "BUG: …" if there are fewer than
 * `count`: the pool was counted under the same lock.
 */
export function chooseGpus(free: readonly FreeGpu[], count: number): string[] {
  if (free.length < count) throw new Error(`BUG: ${count} GPUs wanted where ${free.length} are free`);
  const nodes = byNode(free);
  const taken = nodesOfNext(
    nodes.map((node) => node.length),
    count,
  );
  return taken.flatMap(({ node, count: here }) => (nodes[node] ?? []).slice(0, here).map(({ address }) => address));
}

/**
 * From which NUMA nodes the `count` GPUs of the next instance come, by their places in `free`, the free GPUs of each
 * node. Prefers the fullest node that has enough; otherwise takes the emptiest nodes whole first, so that the instance
 * spans few nodes. As many as there are, if there are fewer.
 */
export function nodesOfNext(free: readonly number[], count: number): { node: number; count: number }[] {
  const nodes = free.map((left, node) => ({ node, left }));
  const [fullest] = nodes.filter(({ left }) => left >= count).sort((a, b) => a.left - b.left);
  if (fullest !== undefined) return [{ node: fullest.node, count }];
  let missing = count;
  return nodes
    .sort((a, b) => b.left - a.left)
    .map(({ node, left }) => {
      const here = Math.min(left, missing);
      missing -= here;
      return { node, count: here };
    })
    .filter(({ count: here }) => here > 0);
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
