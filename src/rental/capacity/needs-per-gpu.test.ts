import { expect, it } from "vitest";
import { needsPerGpu } from "./needs-per-gpu.ts";

const type = (gpuModel: string | null, gpus: number, vcpus: number, memoryGib: number) => ({
  gpuModel,
  gpus,
  vcpus,
  memoryGib,
});

it("what a GPU needs is the median of its model's types, each counted as often as it has GPUs", () => {
  const types = [
    type("H100", 1, 40, 100),
    type("H100", 2, 52, 440),
    type("H100", 8, 208, 1600),
    type("A100", 1, 6, 60),
  ];
  expect(needsPerGpu([...types, type(null, 0, 4, 16)])).toEqual(
    new Map([
      ["H100", { vcpus: 26, memoryGib: 200 }],
      ["A100", { vcpus: 6, memoryGib: 60 }],
    ]),
  );
});

it("a catalog without GPUs needs nothing", () => {
  expect(needsPerGpu([type(null, 0, 4, 16)])).toEqual(new Map());
});
