import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { type HostOverrides, type HostReading, withOverrides } from "./overrides.ts";

const gpu = (address: string, part: object = {}) => ({
  address,
  model: "NVIDIA 2331",
  memoryGib: 0,
  numaNode: 1,
  healthy: false,
  ...part,
});
const reading: HostReading = {
  region: "north",
  vcpus: 64,
  memoryGib: 512,
  storageGb: 4000,
  available: true,
  sharedStorage: false,
  multiAttach: false,
  gpus: [gpu("a"), gpu("b")],
};
const overrides: HostOverrides = { vcpus: 60, memoryGib: 500, storageGb: 3000, gpus: [] };

describe("what a host counts as", () => {
  it("is what its engine says, where there are no overrides", () => {
    expect(withOverrides(reading, null)).toEqual(reading);
  });

  it("has no more than the operator lets it have", () => {
    expect(withOverrides(reading, overrides)).toEqual({ ...reading, vcpus: 60, memoryGib: 500, storageGb: 3000 });
  });

  it("has no more than there is, also after it lost some", () => {
    const shrunk = { ...reading, vcpus: 32, memoryGib: 256, storageGb: 100 };
    expect(withOverrides(shrunk, overrides)).toEqual(shrunk);
  });

  it("names GPUs as the operator does, by address, and leaves the others and their health alone", () => {
    const gpus = [{ address: "b", model: "H100", memoryGib: 80 }];
    expect(withOverrides(reading, { ...overrides, gpus }).gpus).toEqual([
      gpu("a"),
      gpu("b", { model: "H100", memoryGib: 80 }),
    ]);
  });

  it("keeps a GPU's memory as found where the operator gives none", () => {
    const found = { ...reading, gpus: [gpu("a", { memoryGib: 40 })] };
    const gpus = [{ address: "a", model: "A100", memoryGib: 0 }];
    expect(withOverrides(found, { ...overrides, gpus }).gpus).toEqual([gpu("a", { model: "A100", memoryGib: 40 })]);
  });

  it("has no GPU that is not there any more", () => {
    const gpus = [{ address: "gone", model: "H100", memoryGib: 80 }];
    expect(withOverrides(reading, { ...overrides, gpus }).gpus).toEqual(reading.gpus);
  });

  it("stays the same when the overrides are applied to it again", () => {
    const sizes = { vcpus: fc.nat(), memoryGib: fc.nat(), storageGb: fc.nat() };
    const named = fc.array(
      fc.record({ address: fc.constantFrom("a", "b", "c"), model: fc.string(), memoryGib: fc.nat() }),
    );
    fc.assert(
      fc.property(fc.record(sizes), fc.record({ ...sizes, gpus: named }), (found, told) => {
        const once = withOverrides({ ...reading, ...found }, told);
        expect(withOverrides(once, told)).toEqual(once);
      }),
    );
  });
});
