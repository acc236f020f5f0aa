import { describe, expect, it } from "vitest";
import { desktop, desktop3090, desktop4090 } from "../../../../test/support/libvirt-samples/desktop.ts";
import { hgxGpus, hgxH100, hgxSwitches } from "../../../../test/support/libvirt-samples/hgx-h100.ts";
import { fc } from "../../../../test/support/properties.ts";
import { readXml } from "../xml/read.ts";
import { assignedDevices } from "./assigned.ts";
import { findGpus, findOthers, findSwitches } from "./gpus.ts";
import { readPciDevice } from "./pci.ts";

const partsOf = (sample: { devices: Readonly<Record<string, string>> }) => {
  const devices = readXml(Object.values(sample.devices).join("")).flatMap((device) => readPciDevice(device) ?? []);
  return { gpus: findGpus(devices), switches: findSwitches(devices), others: findOthers(devices) };
};
const hgx = partsOf(hgxH100);

describe("what a machine is given for its GPUs", () => {
  it("is nothing without any", () => {
    expect(assignedDevices(hgx, [])).toEqual([]);
    expect(assignedDevices(partsOf(desktop), [])).toEqual([]);
  });

  it("is each GPU with the rest of its card", () => {
    expect(assignedDevices(partsOf(desktop), [desktop4090])).toEqual(["0000:01:00.0", "0000:01:00.1"]);
  });

  it("is the GPU alone where it is only declared, or cannot be rented", () => {
    expect(assignedDevices(partsOf(desktop), ["0000:99:00.0"])).toEqual(["0000:99:00.0"]);
    expect(assignedDevices(partsOf(desktop), [desktop3090])).toEqual([desktop3090]);
  });

  it("is never a device of the host that is no GPU, although it was declared as one", () => {
    const { others } = partsOf(desktop);
    expect(others.length).toBeGreaterThan(3);
    for (const address of others) {
      expect(() => assignedDevices(partsOf(desktop), [desktop4090, address])).toThrow(
        expect.objectContaining({ kind: "refused", code: "gpu-missing" }),
      );
    }
  });

  it("is the same in the same order, in whatever order the GPUs are named, and each once", () => {
    const gpus = fc.shuffledSubarray([...hgxGpus, "0000:99:00.0"]);
    fc.assert(
      fc.property(gpus, (addresses) => {
        const given = assignedDevices(hgx, addresses);
        expect(given.slice(0, addresses.length)).toEqual([...addresses].sort());
        expect(assignedDevices(hgx, [...addresses, ...addresses].reverse())).toEqual(given);
      }),
    );
  });

  it("is never given to two machines that have different GPUs", () => {
    const shares = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(shares, (owners) => {
        const given = [0, 1, 2, 3].flatMap((owner) =>
          assignedDevices(
            hgx,
            hgxGpus.filter((_, index) => owners[index] === owner),
          ),
        );
        expect(new Set(given).size).toBe(given.length);
      }),
    );
  });
});

describe("the NVSwitches", () => {
  it("go at the end to a machine that has all GPUs, and to no other", () => {
    expect(assignedDevices(hgx, hgxGpus)).toEqual([...hgxGpus, ...hgxSwitches]);
    expect(assignedDevices(hgx, hgxGpus.slice(1))).toEqual(hgxGpus.slice(1));
  });

  it.each([["nvidia"], [undefined]])("stay with the host while their driver there is %s", (driver) => {
    const switches = hgx.switches.map((one) => ({ ...one, driver }));
    expect(assignedDevices({ ...hgx, switches }, hgxGpus)).toEqual(hgxGpus);
  });

  it("stay with the host where they share a group with what is its own", () => {
    const switches = hgx.switches.map((one) => ({ ...one, obstacle: "its IOMMU group has a disk too" }));
    expect(assignedDevices({ ...hgx, switches }, hgxGpus)).toEqual(hgxGpus);
  });

  it("do not wait for the GPUs of another maker", () => {
    const [first] = hgx.gpus;
    if (first === undefined) throw new Error("BUG: the sample has GPUs");
    const other = { ...first, address: "0000:f0:00.0", vendorId: "8086" };
    const mixed = { ...hgx, gpus: [...hgx.gpus, other] };
    expect(assignedDevices(mixed, hgxGpus)).toEqual([...hgxGpus, ...hgxSwitches]);
    expect(assignedDevices(mixed, [other.address])).toEqual([other.address]);
  });

  it("connect nothing where there is one GPU or none", () => {
    expect(assignedDevices({ ...hgx, gpus: hgx.gpus.slice(0, 1) }, hgxGpus.slice(0, 1))).toEqual(hgxGpus.slice(0, 1));
    expect(assignedDevices({ ...hgx, gpus: [] }, ["0000:99:00.0"])).toEqual(["0000:99:00.0"]);
  });
});
