// On which NUMA node a machine is kept: with its processors, its memory and its GPUs on one, nothing crosses the link
// between sockets. Pure but for `readFree`. Used where a machine is started.
//
// It is kept on all threads of a node, not nailed to some: nobody keeps books of single threads, and the kernel spreads
// load better than such books would. Two large machines may land on one node; the free memory tells them apart, which a
// running machine with GPUs holds whole.

import type { LibvirtSettings } from "../settings/settings.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { type Cell, hugeOnly, type Pages } from "./capabilities.ts";
import { kibInPages } from "./huge-pages.ts";

const KIB_PER_GIB = 1024 ** 2;

/** What the process of a machine takes beside the guest's memory: buffers, page tables, translated code. */
export const overheadKib = KIB_PER_GIB;

/** What a cell has free now. */
export interface FreeMemory {
  readonly cell: number;
  /** In ordinary pages. What the kernel keeps files in counts as taken, although it would give that back. */
  readonly freeKib: number;
  readonly hugePages: readonly Pages[];
}

export interface PlacementOrder {
  /** At least 1. */
  readonly vcpus: number;
  readonly memoryGib: number;
  /** The node of each of its GPUs. */
  readonly gpuNodes: readonly number[];
  /** What its memory is made of. */
  readonly hugePages: LibvirtSettings["hugePages"];
  /** Smaller ones without GPUs are not kept on a node. */
  readonly pinFromVcpus: number;
  readonly free: readonly FreeMemory[];
}

export interface Placement {
  readonly node: number;
  /** All its threads. */
  readonly cpus: readonly number[];
}

/**
 * The node that most of the GPUs hang on, or else the one with the most free memory; the next of these where that has
 * not as many threads as the machine has vCPUs, and its memory free. Undefined: none does, or the machine is small.
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

/** What would be left free on the cell; less than nothing where the machine does not fit. */
function spareKib({ id }: Cell, { memoryGib, hugePages, free }: PlacementOrder): number {
  const cell = free.find((one) => one.cell === id);
  if (cell === undefined) return Number.NEGATIVE_INFINITY;
  const guestKib = memoryGib * KIB_PER_GIB;
  if (hugePages !== undefined) return kibInPages(cell.hugePages, hugePages) - guestKib;
  return cell.freeKib - guestKib - overheadKib;
}

/** One process of virsh. Throws VirshError, the signal's reason, and Error for an answer that names no cell. */
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

/** `Node 0:` and under it `2048KiB: 12` for each size; then `0: 4096 KiB` for each cell, and a total. */
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
