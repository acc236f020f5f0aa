// Chooses the NUMA node of a machine: with processors, memory and GPUs on one node, nothing crosses the link between
// sockets. Pure except `readFree`. Used where a machine is started.
//
// A machine is pinned to all threads of a node, not to single ones: the kernel balances load better. Two large machines
// can get the same node; free memory distinguishes the nodes, because a running machine with GPUs holds all of its
// memory.

import type { LibvirtSettings } from "../settings/settings.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { type Cell, hugeOnly, type Pages } from "./capabilities.ts";
import { kibInPages } from "./huge-pages.ts";

const KIB_PER_GIB = 1024 ** 2;

/** What a machine's process needs in addition to guest memory: buffers, page tables, translated code. */
export const overheadKib = KIB_PER_GIB;

export interface FreeMemory {
  readonly cell: number;
  /** In ordinary pages. The kernel's file cache counts as used, although it could be freed. */
  readonly freeKib: number;
  readonly hugePages: readonly Pages[];
}

export interface PlacementOrder {
  /** At least 1. */
  readonly vcpus: number;
  readonly memoryGib: number;
  /** The node of each of its GPUs. */
  readonly gpuNodes: readonly number[];
  /** The page size of its memory. */
  readonly hugePages: LibvirtSettings["hugePages"];
  /** Smaller machines without GPUs are not pinned. */
  readonly pinFromVcpus: number;
  readonly free: readonly FreeMemory[];
}

export interface Placement {
  readonly node: number;
  readonly cpus: readonly number[];
}

/**
 * The node with most of the GPUs, or else with the most free memory, among those with enough threads and memory.
 * Undefined: none has, or the machine is small.
 */
export function placementOn(cells: readonly Cell[], order: PlacementOrder): Placement | undefined {
  const { vcpus, gpuNodes, pinFromVcpus } = order;
  if (vcpus < pinFromVcpus && gpuNodes.length === 0) return undefined;
  const [best] = cells
    .map((cell) => ({
      cell,
      gpus: gpuNodes.filter((node) => node === cell.id).length,
      spareKib: spareKib(cell, order),
    }))
    .filter(({ cell, spareKib }) => cell.cpus.length >= vcpus && spareKib >= 0)
    .sort((a, b) => b.gpus - a.gpus || b.spareKib - a.spareKib || a.cell.id - b.cell.id);
  return best && { node: best.cell.id, cpus: best.cell.cpus };
}

/** What would be left free on the cell; negative if the machine does not fit. */
function spareKib({ id }: Cell, { memoryGib, hugePages, free }: PlacementOrder): number {
  const cell = free.find((one) => one.cell === id);
  if (cell === undefined) return Number.NEGATIVE_INFINITY;
  const guestKib = memoryGib * KIB_PER_GIB;
  if (hugePages !== undefined) return kibInPages(cell.hugePages, hugePages) - guestKib;
  return cell.freeKib - guestKib - overheadKib;
}

/** One virsh process. Throws VirshError, the signal's reason, and Error for output without cells. */
export async function readFree(virsh: Virsh, signal: AbortSignal): Promise<FreeMemory[]> {
  const text = await virsh.all(
    [
      ["freepages", "--all"],
      ["freecell", "--all"],
    ],
    { signal },
  );
  const free = parseFree(text);
  if (free.length === 0) throw new Error("libvirt does not say how much memory is free");
  return free;
}

/** Parses `Node 0:` with lines such as `2048KiB: 12` per size; then `0: 4096 KiB` per cell, and a total. */
function parseFree(text: string): FreeMemory[] {
  const pages = new Map<number, Pages[]>();
  const free = new Map<number, number>();
  let node: number | undefined;
  for (const line of text.split("\n")) {
    const [, heading] = /^Node (\d+):\s*$/.exec(line) ?? [];
    if (heading !== undefined) node = Number(heading);
    const [, size, count] = /^\s*(\d+)KiB:\s*(\d+)\s*$/.exec(line) ?? [];
    if (node !== undefined && size !== undefined) {
      pages.set(node, [...(pages.get(node) ?? []), { sizeKib: Number(size), count: Number(count) }]);
    }
    const [, cell, kib] = /^\s*(\d+):\s*(\d+) KiB\s*$/.exec(line) ?? [];
    if (cell !== undefined) free.set(Number(cell), Number(kib));
  }
  return [...free].map(([cell, freeKib]) => ({ cell, freeKib, hugePages: hugeOnly(pages.get(cell) ?? []) }));
}
