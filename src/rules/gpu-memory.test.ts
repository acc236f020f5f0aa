// The memory of a GPU, read from its description.

import { expect, it } from "vitest";
import { gpuMemoryGb } from "./gpu-memory.ts";

it.each([
  ["H100 (80 GB PCIe)", 80],
  ["A10 (24GB)", 24],
  ["MI300X 192 GiB", 192],
  ["H200 (141 gb SXM5)", 141],
  ["T4 (7.5 GB slice)", 7.5],
])("of %j is %d GB", (description, gb) => {
  expect(gpuMemoryGb(description)).toBe(gb);
});

it.each(["N/A", "", "RTX 6000", "80 GBit/s NIC"])("is not in %j", (description) => {
  expect(gpuMemoryGb(description)).toBeUndefined();
});
