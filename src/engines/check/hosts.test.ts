import { describe, expect, it } from "vitest";
import type { HostReport } from "../engine.ts";
import { describeHost, unknownGpu } from "./hosts.ts";

function report(part: Partial<HostReport> = {}): HostReport {
  const base = { name: "h1", region: "north", vcpus: 8, memoryGib: 16, storageGb: 100, available: true };
  return { ...base, sharedStorage: false, multiAttach: false, gpus: [], ...part };
}
const gpu = (model: string, address: string) => ({ address, model, memoryGib: 80, numaNode: 0, healthy: true });

describe("what a host has to rent", () => {
  it("is told with its GPUs by model", () => {
    expect(describeHost(report(), "no").detail).toBe("8 vCPUs, 16 GiB, 100 GB, no GPU, in north");
    const gpus = [gpu("h100", "a"), gpu("a30", "b"), gpu("h100", "c")];
    expect(describeHost(report({ gpus }), "no").detail).toContain("2 × h100, 1 × a30");
  });

  it("is a problem where something is lacking", () => {
    expect(describeHost(report({ memoryGib: 0, storageGb: 0 }), "add some")).toMatchObject({
      what: "h1",
      verdict: "problem",
      detail: expect.stringMatching(/: no memory and storage to rent$/),
      advice: "add some",
    });
  });
});

describe("a GPU that no table names", () => {
  it("is told how to name it, unless its maker makes none", () => {
    expect(unknownGpu("h1", "1002:abcd", "AMD X", "0000:01:00.0")).toMatchObject({
      verdict: "warning",
      detail: 'GPU 1002:abcd "AMD X" at 0000:01:00.0 is unknown and not offered',
      advice: expect.stringContaining('gpu_models: "1002:abcd"'),
    });
    expect(unknownGpu("h1", "1a03:2000", "", "x")).toBeUndefined();
  });
});
