import { describe, expect, it } from "vitest";
import { desktop, desktop3090, desktop4090, desktopOwn } from "../../../../test/support/libvirt-samples/desktop.ts";
import { hgxGpus, hgxH100, hgxSwitches } from "../../../../test/support/libvirt-samples/hgx-h100.ts";
import { fc } from "../../../../test/support/properties.ts";
import { readXml } from "../xml/read.ts";
import { findGpus, findSwitches } from "./gpus.ts";
import { type PciDevice, readPciDevice } from "./pci.ts";

const devicesOf = (sample: { devices: Readonly<Record<string, string>> }) =>
  readXml(Object.values(sample.devices).join("")).flatMap((device) => readPciDevice(device) ?? []);

const device = (address: string, part: Partial<PciDevice> = {}): PciDevice => ({
  address,
  kind: 0x0302,
  vendorId: "10de",
  productId: "2331",
  vendor: "NVIDIA Corporation",
  product: "GH100 [H100 PCIe]",
  numaNode: 0,
  driver: undefined,
  iommuGroup: { number: 7, others: [] },
  physicalFunction: undefined,
  virtualFunctions: 0,
  ...part,
});

/** The devices, all in one group. */
const together = (...devices: readonly PciDevice[]) =>
  devices.map((one) => {
    const others = devices.map(({ address }) => address).filter((address) => address !== one.address);
    return { ...one, iommuGroup: { number: 7, others } };
  });

const gpu = device("0000:41:00.0");

describe("on a server with eight GPUs", () => {
  const devices = devicesOf(hgxH100);

  it("all eight can be rented, each alone, and the chip of the remote console is none of them", () => {
    const gpus = findGpus(devices);
    expect(gpus.map(({ address }) => address)).toEqual(hgxGpus);
    expect(gpus.map(({ obstacle, companions }) => [obstacle, companions])).toEqual(hgxGpus.map(() => [undefined, []]));
    expect(gpus.map(({ numaNode }) => numaNode)).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
  });

  it("the switches between them are found", () => {
    expect(findSwitches(devices).map(({ address }) => address)).toEqual(hgxSwitches);
  });
});

describe("on a desktop computer", () => {
  const gpus = new Map(findGpus(devicesOf(desktop)).map((one) => [one.address, one]));

  it("the card in the processor's slot is rented with its sound, and the bridges of its group stay", () => {
    expect(gpus.get(desktop4090)).toMatchObject({ companions: ["0000:01:00.1"], obstacle: undefined });
  });

  it("the card that shares its group with the network is not rented, and the reason names that", () => {
    expect(gpus.get(desktop3090)).toMatchObject({ companions: [] });
    expect(gpus.get(desktop3090)?.obstacle).toBe(
      "its IOMMU group 15 has 0000:05:00.0 (Realtek Semiconductor Co., Ltd. RTL8125 2.5GbE Controller) too, " +
        "which is another device",
    );
  });

  it("the one in the processor is a GPU as well, whether it has a price or not", () => {
    expect(gpus.get(desktopOwn)).toMatchObject({ obstacle: undefined });
  });
});

describe("a device is a GPU", () => {
  it.each([
    ["a VGA controller", 0x0300],
    ["a 3D controller", 0x0302],
    ["another display controller, as AMD's MI210", 0x0380],
    ["a processing accelerator, as AMD's MI300X", 0x1200],
  ])("as %s", (_what, kind) => {
    expect(findGpus([device("0000:41:00.0", { kind })])).toHaveLength(1);
  });

  it.each([
    ["a network adapter", 0x0200],
    ["a disk", 0x0108],
    ["a sound device", 0x0403],
    ["a bridge", 0x0604],
    ["of a class that libvirt does not tell", undefined],
    ["a card that fell off its bus", 0xffff],
  ])("but not as %s", (_what, kind) => {
    expect(findGpus([device("0000:41:00.0", { kind })])).toEqual([]);
  });

  it.each(["1a03", "102b", "19e5"])("but not as the screen of a management controller by %s", (vendorId) => {
    expect(findGpus([device("0000:41:00.0", { kind: 0x0300, vendorId })])).toEqual([]);
  });

  it("also of a maker of such screens, where it is an accelerator", () => {
    expect(findGpus([device("0000:41:00.0", { kind: 0x1200, vendorId: "19e5" })])).toHaveLength(1);
  });

  it("but not as a virtual function of one", () => {
    expect(findGpus([device("0000:41:00.4", { physicalFunction: "0000:41:00.0" })])).toEqual([]);
  });
});

describe("a GPU cannot be rented", () => {
  const obstacle = (...devices: readonly PciDevice[]) => findGpus(devices)[0]?.obstacle;

  it("without an IOMMU group, and the reason says what to switch on", () => {
    expect(obstacle(device("0000:41:00.0", { iommuGroup: undefined }))).toBe(
      "it has no IOMMU group: enable the IOMMU in the firmware and for the kernel (intel_iommu=on)",
    );
  });

  it("while it is divided", () => {
    expect(obstacle(device("0000:41:00.0", { virtualFunctions: 4 }))).toBe("it is divided into 4 virtual functions");
  });

  it("with another GPU in its group, nor can that one; also where both are of one slot", () => {
    for (const other of ["0000:42:00.0", "0000:41:00.1"]) {
      expect(findGpus(together(gpu, device(other))).map((one) => one.obstacle)).toEqual([
        `its IOMMU group 7 has another GPU, ${other}`,
        "its IOMMU group 7 has another GPU, 0000:41:00.0",
      ]);
    }
  });

  it("with a part of a divided card in its group", () => {
    const part = device("0000:42:00.4", { physicalFunction: "0000:42:00.0" });
    expect(obstacle(...together(gpu, part))).toBe("its IOMMU group 7 has another GPU, 0000:42:00.4");
  });

  it("with an unnamed device of another card in its group, which is called by its ids", () => {
    const disk = device("0000:42:00.0", { kind: 0x0108, vendor: "", product: "", vendorId: "144d", productId: "a824" });
    expect(obstacle(...together(gpu, disk))).toBe(
      "its IOMMU group 7 has 0000:42:00.0 (144d:a824) too, which is another device",
    );
  });

  it("with the server's screen in its group", () => {
    const screen = device("0000:42:00.0", { kind: 0x0300, vendorId: "1a03", vendor: "ASPEED", product: "" });
    expect(obstacle(...together(gpu, screen))).toBe(
      "its IOMMU group 7 has 0000:42:00.0 (ASPEED) too, which is another device",
    );
  });

  it("with such a screen in its slot, for that stays the server's", () => {
    const screen = device("0000:41:00.1", { kind: 0x0300, vendorId: "102b", vendor: "Matrox", product: "" });
    expect(obstacle(...together(gpu, screen))).toContain("0000:41:00.1 (Matrox)");
  });

  it("with a host bridge in its group that something drives, for then the kernel keeps the group", () => {
    const bridge = device("0000:00:01.0", { kind: 0x0600, driver: "skx_uncore" });
    expect(obstacle(...together(gpu, bridge))).toContain("0000:00:01.0");
  });

  it("while nobody knows what else is in its group", () => {
    expect(obstacle(device("0000:41:00.0", { iommuGroup: { number: 7, others: ["0000:41:00.1"] } }))).toBe(
      "its IOMMU group 7 has 0000:41:00.1 too, an unknown device",
    );
  });
});

it("all functions of a card go with it, in order, and nothing else", () => {
  const parts = [
    device("0000:41:00.2", { kind: 0x0c03 }),
    gpu,
    device("0000:41:00.3", { kind: 0x0c80 }),
    device("0000:40:01.0", { kind: 0x0604, driver: "pcieport" }),
    device("0000:41:00.1", { kind: 0x0403 }),
  ].sort((a, b) => (a.address < b.address ? -1 : 1));
  const [found] = findGpus(together(...parts));
  expect(found).toMatchObject({ companions: ["0000:41:00.1", "0000:41:00.2", "0000:41:00.3"], obstacle: undefined });
});

it("no two GPUs that can be rented share a device, whatever the groups are", () => {
  const anyDevice = fc.record({
    slot: fc.integer({ min: 0, max: 3 }),
    part: fc.integer({ min: 0, max: 3 }),
    kind: fc.constantFrom(0x0302, 0x0302, 0x0403, 0x0604, 0x0600, 0x0200),
    group: fc.integer({ min: 0, max: 4 }),
  });
  const unique = fc.uniqueArray(anyDevice, { selector: ({ slot, part }) => `${slot}.${part}`, maxLength: 12 });
  let rentable = 0;
  fc.assert(
    fc.property(unique, (parts) => {
      const address = ({ slot, part }: { slot: number; part: number }) => `0000:00:0${slot}.${part}`;
      const devices = parts.map((one) => {
        const others = parts.filter((other) => other !== one && other.group === one.group).map(address);
        return device(address(one), { kind: one.kind, iommuGroup: { number: one.group, others } });
      });
      const gpus = findGpus(devices).filter(({ obstacle }) => obstacle === undefined);
      const given = gpus.flatMap((one) => [one.address, ...one.companions]);
      expect(new Set(given).size).toBe(given.length);
      // And with it everything in its group that is no bridge.
      for (const { companions, iommuGroup } of gpus) {
        const endpoints = iommuGroup?.others.filter((other) => {
          const kind = devices.find((one) => one.address === other)?.kind;
          return kind !== 0x0604 && kind !== 0x0600;
        });
        expect(companions).toEqual(endpoints);
      }
      rentable += gpus.length;
    }),
  );
  expect(rentable).toBeGreaterThan(50);
});
