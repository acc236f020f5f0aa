import { describe, expect, it } from "vitest";
import { hgxH100 } from "../../../../test/support/libvirt-samples/hgx-h100.ts";
import { small, twoCellsFree } from "../../../../test/support/libvirt-samples/recorded.ts";
import { fc } from "../../../../test/support/properties.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { readOne } from "../xml/read.ts";
import { type Cell, readCapabilities } from "./capabilities.ts";
import { type FreeMemory, overheadKib, type PlacementOrder, placementOn, readFree } from "./numa.ts";

const GIB = 1024 ** 2;

/** 8 threads and 64 GiB each. */
const cells: readonly Cell[] = [0, 1].map((id) => ({
  id,
  cpus: Array.from({ length: 8 }, (_, index) => id * 8 + index),
  memoryKib: 64 * GIB,
  hugePages: [],
}));

const free = (...gib: readonly number[]): FreeMemory[] =>
  gib.map((one, cell) => ({ cell, freeKib: one * GIB, hugePages: [] }));

const freePages = (sizeKib: number, ...counts: readonly number[]): FreeMemory[] =>
  counts.map((count, cell) => ({ cell, freeKib: 0, hugePages: [{ sizeKib, count }] }));

const place = (order: Partial<PlacementOrder>, on = cells) =>
  placementOn(on, {
    vcpus: 8,
    memoryGib: 32,
    gpuNodes: [],
    hugePages: undefined,
    pinFromVcpus: 8,
    free: free(60, 60),
    ...order,
  });

describe("a machine", () => {
  it("that is small and has no GPU is not kept on a node", () => {
    expect(place({ vcpus: 7 })).toBeUndefined();
  });

  it("that is large is kept on one, on all its threads", () => {
    expect(place({})).toEqual({ node: 0, cpus: [0, 1, 2, 3, 4, 5, 6, 7] });
  });

  it("with a GPU is kept on that one's node, however small it is", () => {
    expect(place({ vcpus: 1, memoryGib: 1, gpuNodes: [1] })).toEqual({
      node: 1,
      cpus: [8, 9, 10, 11, 12, 13, 14, 15],
    });
  });

  it("goes where most memory is free", () => {
    expect(place({ free: free(40, 41) })?.node).toBe(1);
    expect(place({ free: free(41, 40) })?.node).toBe(0);
  });

  it("goes to the first of equal ones, in whatever order they are told", () => {
    expect(place({})?.node).toBe(0);
    expect(place({}, [...cells].reverse())?.node).toBe(0);
  });

  it("goes to the node of most of its GPUs, before where most memory is free", () => {
    expect(place({ gpuNodes: [1, 0, 1], free: free(60, 40) })?.node).toBe(1);
    expect(place({ gpuNodes: [0, 1], free: free(40, 60) })?.node).toBe(1);
  });

  it("is kept together on another node where that of its GPUs is full", () => {
    expect(place({ gpuNodes: [1], free: free(60, 20) })?.node).toBe(0);
  });

  it("with a GPU on a node that is memory alone, or that nobody knows, is kept on another", () => {
    const alone: Cell = { id: 2, cpus: [], memoryKib: 96 * GIB, hugePages: [] };
    expect(place({ gpuNodes: [2], free: free(60, 50, 96) }, [...cells, alone])?.node).toBe(0);
    expect(place({ gpuNodes: [7] })?.node).toBe(0);
  });
});

describe("no node is good enough", () => {
  it("with fewer threads than the machine has vCPUs", () => {
    expect(place({ vcpus: 9 })).toBeUndefined();
  });

  it("with less memory free than the machine and its process take", () => {
    const [exact] = free(32, 0);
    if (exact === undefined) throw new Error("BUG: two cells were made");
    expect(place({ free: [{ ...exact, freeKib: 32 * GIB + overheadKib }] })?.node).toBe(0);
    expect(place({ free: [{ ...exact, freeKib: 32 * GIB + overheadKib - 1 }] })).toBeUndefined();
  });

  it("when the host does not say what is free there", () => {
    expect(place({ free: [] })).toBeUndefined();
    expect(place({ gpuNodes: [1], free: free(60) })?.node).toBe(0);
  });

  it("on a host without any", () => {
    expect(place({}, [])).toBeUndefined();
  });
});

describe("with huge pages", () => {
  it("the pages of that size count, and ordinary memory does not", () => {
    expect(place({ hugePages: "1GiB", free: freePages(GIB, 31, 32) })?.node).toBe(1);
    expect(place({ hugePages: "1GiB", free: freePages(GIB, 31, 31) })).toBeUndefined();
    expect(place({ hugePages: "2MiB", free: freePages(2048, 16_384, 16_383) })?.node).toBe(0);
    expect(place({ hugePages: "2MiB", free: freePages(GIB, 64, 64) })).toBeUndefined();
    expect(place({ hugePages: "1GiB", free: free(60, 60) })).toBeUndefined();
  });

  it("free ones do not count for a machine in ordinary memory", () => {
    expect(place({ free: freePages(GIB, 64, 64) })).toBeUndefined();
  });
});

describe("whatever is asked for, on whatever host", () => {
  const amount = fc.integer({ min: 0, max: 12 });
  const anyCase = fc
    .array(fc.record({ threads: amount, freeGib: amount, pages: amount, isKnown: fc.boolean() }), { maxLength: 4 })
    .chain((parts) =>
      fc.record({
        parts: fc.constant(parts),
        vcpus: fc.integer({ min: 1, max: 12 }),
        memoryGib: fc.integer({ min: 1, max: 12 }),
        gpuNodes: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
        hugePages: fc.constantFrom(undefined, "1GiB" as const),
        pinFromVcpus: fc.integer({ min: 1, max: 12 }),
      }),
    )
    .map(({ parts, ...order }) => ({
      on: parts.map(
        ({ threads }, id): Cell => ({
          id,
          cpus: Array.from({ length: threads }, (_, index) => id * 100 + index),
          memoryKib: 16 * GIB,
          hugePages: [],
        }),
      ),
      order: {
        ...order,
        free: parts.flatMap(({ freeGib, pages, isKnown }, cell) =>
          isKnown ? [{ cell, freeKib: freeGib * GIB, hugePages: [{ sizeKib: GIB, count: pages }] }] : [],
        ),
      },
    }));

  /** The rule, said a second time as plainly as it goes. */
  const fits = (cell: Cell, { vcpus, memoryGib, hugePages, free: all }: PlacementOrder): boolean => {
    const there = all.find((one) => one.cell === cell.id);
    if (there === undefined || cell.cpus.length < vcpus) return false;
    if (hugePages === undefined) return there.freeKib >= memoryGib * GIB + overheadKib;
    return (there.hugePages[0]?.count ?? 0) >= memoryGib;
  };
  const isWanted = ({ vcpus, gpuNodes, pinFromVcpus }: PlacementOrder) => vcpus >= pinFromVcpus || gpuNodes.length > 0;

  it("a machine is kept on a node exactly when it should be and one has room", () => {
    let kept = 0;
    fc.assert(
      fc.property(anyCase, ({ on, order }) => {
        const placement = placementOn(on, order);
        expect(placement !== undefined).toBe(isWanted(order) && on.some((cell) => fits(cell, order)));
        if (placement !== undefined) kept += 1;
      }),
      { numRuns: 1000 },
    );
    expect(kept).toBeGreaterThan(50);
  });

  it("the node has room, its own threads, and no node with room has more of the GPUs", () => {
    fc.assert(
      fc.property(anyCase, ({ on, order }) => {
        const placement = placementOn(on, order);
        if (placement === undefined) return;
        const chosen = on.find(({ id }) => id === placement.node);
        if (chosen === undefined) throw new Error("BUG: a node that the host does not have");
        expect(placement.cpus).toEqual(chosen.cpus);
        expect(fits(chosen, order)).toBe(true);
        const gpusOn = (node: number) => order.gpuNodes.filter((one) => one === node).length;
        for (const cell of on.filter((one) => fits(one, order))) {
          expect(gpusOn(cell.id)).toBeLessThanOrEqual(gpusOn(placement.node));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("the answer does not depend on the order in which the nodes are told", () => {
    fc.assert(
      fc.property(anyCase, ({ on, order }) => {
        const backwards = { ...order, free: [...order.free].reverse() };
        expect(placementOn([...on].reverse(), backwards)).toEqual(placementOn(on, order));
      }),
    );
  });
});

describe("what a host has free", () => {
  const asked: unknown[] = [];
  const never = () => {
    throw new Error("BUG: not asked for here");
  };
  const printing = (text: string): Virsh => ({
    all: async (commands, { signal }) => {
      signal.throwIfAborted();
      asked.push(commands);
      return text;
    },
    call: never,
    bytes: never,
    follow: never,
    console: never,
  });
  const read = (text: string) => readFree(printing(text), new AbortController().signal);

  it("is read as libvirt really prints it, in one process", async () => {
    expect(await read(small.free)).toEqual([
      {
        cell: 0,
        freeKib: 14_753_720,
        hugePages: [
          { sizeKib: 2048, count: 0 },
          { sizeKib: 1_048_576, count: 0 },
        ],
      },
    ]);
    expect(asked).toEqual([
      [
        ["freepages", "--all"],
        ["freecell", "--all"],
      ],
    ]);
  });

  it("is told for each node", async () => {
    const pages = [
      { sizeKib: 8, count: 45 },
      { sizeKib: 2048, count: 97 },
      { sizeKib: 1_048_576, count: 201 },
    ];
    expect(await read(twoCellsFree)).toEqual([
      { cell: 0, freeKib: 2048, hugePages: pages },
      { cell: 1, freeKib: 4096, hugePages: pages },
    ]);
  });

  it("does not count the total as a node", async () => {
    const withTotal = `${twoCellsFree}--------------------\nTotal:       6144 KiB\n`;
    expect((await read(withTotal)).map(({ cell }) => cell)).toEqual([0, 1]);
  });

  it("has no huge pages where the host tells of none", async () => {
    expect(await read("    0:       2048 KiB\n")).toEqual([{ cell: 0, freeKib: 2048, hugePages: [] }]);
  });

  it("is not taken for nothing where libvirt says nothing", async () => {
    await expect(read("\n")).rejects.toThrow("libvirt does not say how much memory is free");
  });

  it("is not read after an abort", async () => {
    const reason = new Error("too late");
    await expect(readFree(printing(small.free), AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  it("places a quarter of a large server beside its GPUs", async () => {
    const { cells: large } = readCapabilities(readOne(hgxH100.capabilities));
    const order = { vcpus: 48, memoryGib: 480, gpuNodes: [1, 1], pinFromVcpus: 16, free: await read(hgxH100.free) };
    const placement = placementOn(large, { ...order, hugePages: "1GiB" });
    expect(placement).toMatchObject({ node: 1 });
    expect(placement?.cpus).toHaveLength(112);
    // Its memory is set aside as huge pages, so there is none for a machine without.
    expect(placementOn(large, { ...order, hugePages: undefined })).toBeUndefined();
  });
});
