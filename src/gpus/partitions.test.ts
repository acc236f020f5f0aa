// Partitions as a helper lists them, by the addresses of their GPUs.

import { describe, expect, it } from "vitest";
import type { HelperGpu, HelperPartition } from "./helper.ts";
import { partitionsIn } from "./partitions.ts";

const gpu = (address: string, moduleId: number | null): HelperGpu => ({
  ...{ address, moduleId, model: "H100", driver: null, resetMethods: [] },
});
const partition = (id: string, gpus: number[], isActive = false): HelperPartition => ({ id, gpus, isActive });
const list = (gpus: HelperGpu[], partitions: HelperPartition[]) =>
  partitionsIn({ gpus, partitions, fabricManager: "570.124.06" });

describe("the partitions of a board", () => {
  it("have the GPUs with their module ids, whatever the order of addresses is", () => {
    const gpus = [gpu("0000:01:00.0", 4), gpu("0000:02:00.0", 1), gpu("0000:03:00.0", 2), gpu("0000:04:00.0", 3)];
    expect(list(gpus, [partition("a", [1, 2], true), partition("b", [3, 4])])).toEqual({
      usable: [
        { id: "a", addresses: ["0000:02:00.0", "0000:03:00.0"], isActive: true },
        { id: "b", addresses: ["0000:01:00.0", "0000:04:00.0"], isActive: false },
      ],
      leftOut: [],
    });
  });

  it("are left out where a GPU is not known, or in another one of the same size", () => {
    const gpus = [gpu("0000:01:00.0", 1), gpu("0000:02:00.0", 2), gpu("0000:03:00.0", null)];
    const found = list(gpus, [
      partition("a", [1, 2]),
      partition("b", [2, 3]),
      partition("c", [1]),
      partition("d", [1]),
    ]);
    expect(found.usable.map(({ id }) => id)).toEqual(["a", "c"]);
    expect(found.leftOut).toEqual(["b", "d"]);
  });

  it("are not believed where active ones share a GPU", () => {
    const gpus = [gpu("0000:01:00.0", 1), gpu("0000:02:00.0", 2)];
    expect(() => list(gpus, [partition("a", [1, 2], true), partition("b", [2], true)])).toThrow(/share a GPU/);
  });
});
