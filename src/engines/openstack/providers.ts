// What compute nodes have and what is used of it, from Placement. Used by hosts.ts.
//
// One request tells it of all nodes with a free vCPU, with the providers below them (allocation candidates), others those of
// nodes with free memory or disk; what has neither is read singly. Capacity is what Placement allocates: what is reserved is
// out, allocation ratios are in.

import { Compile } from "typebox/compile";
import {
  CandidatesAnswer,
  InventoriesAnswer,
  type Provider,
  ProviderSchema,
  type Summary,
  UsagesAnswer,
} from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";

const ProviderItem = Compile(ProviderSchema);

export interface Amount {
  readonly capacity: number;
  readonly used: number;
}

/** A provider of a node's tree: the node itself, or one below it, such as a PCI card. */
export interface NodeProvider {
  readonly name: string;
  /** By resource class. */
  readonly amounts: Readonly<Record<string, Amount>>;
}

/** More nodes than a region has. */
const MOST_CANDIDATES = "100000";

/** All of Placement. Throws as Client.call. */
export function readProviders({ client }: Cloud, { place }: Region, signal: AbortSignal): Promise<Provider[]> {
  return client.readAll(place.placement, "/resource_providers", "resource_providers", ProviderItem, signal);
}

/** Of the providers those of each of the nodes (by the node's provider), the node's own first. Throws as Client.call. */
export async function readTrees(
  { client }: Cloud,
  { place }: Region,
  providers: readonly Provider[],
  nodes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly NodeProvider[]>> {
  const { placement } = place;
  const summaries = new Map<string, Summary>();
  for (const free of ["VCPU:1", "MEMORY_MB:1", "DISK_GB:1"]) {
    if ([...nodes].every((id) => summaries.has(id))) break;
    const query = { resources: free, limit: MOST_CANDIDATES };
    const path = "/allocation_candidates";
    const { provider_summaries: some } = await client.read(placement, path, CandidatesAnswer, signal, query);
    for (const [id, summary] of Object.entries(some)) summaries.set(id, summary);
  }
  const trees = new Map<string, NodeProvider[]>();
  for (const provider of rootsFirst(providers)) {
    const root = provider.root_provider_uuid ?? provider.uuid;
    if (!nodes.has(root)) continue;
    const amounts = summaries.get(provider.uuid)?.resources ?? (await readAmounts(provider.uuid));
    const tree = trees.get(root);
    const one = { name: provider.name, amounts };
    if (tree === undefined) trees.set(root, [one]);
    else tree.push(one);
  }
  return trees;

  async function readAmounts(uuid: string): Promise<NodeProvider["amounts"]> {
    const path = `/resource_providers/${uuid}`;
    const { inventories } = await client.read(placement, `${path}/inventories`, InventoriesAnswer, signal);
    const { usages } = await client.read(placement, `${path}/usages`, UsagesAnswer, signal);
    return Object.fromEntries(
      Object.entries(inventories).map(([name, { total, reserved, allocation_ratio: ratio }]) => [
        name,
        { capacity: Math.floor((total - reserved) * ratio), used: usages[name] ?? 0 },
      ]),
    );
  }
}

/** In an order that never changes, so that GPUs keep their addresses. */
function rootsFirst(providers: readonly Provider[]): Provider[] {
  const depth = ({ parent_provider_uuid: parent }: Provider) => (parent === null || parent === undefined ? 0 : 1);
  return providers.toSorted((a, b) => depth(a) - depth(b) || (a.name < b.name ? -1 : 1));
}
