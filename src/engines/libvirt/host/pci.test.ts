import { describe, expect, it } from "vitest";
import { nodedevName, nodedevs, type SampleDevice } from "../../../../test/support/libvirt-samples/host-sample.ts";
import { small } from "../../../../test/support/libvirt-samples/recorded.ts";
import { fc } from "../../../../test/support/properties.ts";
import { readOne } from "../xml/read.ts";
import { readPciDevice, slotOf } from "./pci.ts";

const h100: SampleDevice = {
  address: "0000:9d:00.0",
  class: "030200",
  vendor: ["10de", "NVIDIA Corporation"],
  product: ["2330", "GH100 [H100 SXM5 80GB]"],
  driver: "vfio-pci",
  node: 1,
  group: 44,
};
const sound: SampleDevice = { ...h100, address: "0000:9d:00.1", class: "040300", product: ["22ba", ""] };

const read = (device: SampleDevice, ...others: readonly SampleDevice[]) =>
  readPciDevice(readOne(nodedevs([device, ...others])[nodedevName(device.address)] ?? ""));

describe("a PCI device", () => {
  it("has its address, class, maker, node, driver, and what else is in its group", () => {
    expect(read(h100, sound, { ...h100, address: "0000:9c:00.0", group: 45 })).toEqual({
      address: "0000:9d:00.0",
      kind: 0x0302,
      vendorId: "10de",
      productId: "2330",
      vendor: "NVIDIA Corporation",
      product: "GH100 [H100 SXM5 80GB]",
      numaNode: 1,
      driver: "vfio-pci",
      iommuGroup: { number: 44, others: ["0000:9d:00.1"] },
      physicalFunction: undefined,
      virtualFunctions: 0,
    });
  });

  it("is read as libvirt really prints it, with little said of it", () => {
    const device = readPciDevice(readOne(small.devices.pci_0000_00_03_0 ?? ""));
    expect(device).toEqual({
      address: "0000:00:03.0",
      kind: 0x0200,
      vendorId: "1af4",
      productId: "1041",
      vendor: "",
      product: "",
      numaNode: 0,
      driver: "virtio-pci",
      iommuGroup: undefined,
      physicalFunction: undefined,
      virtualFunctions: 0,
    });
  });

  it("without a driver has none", () => {
    expect(readPciDevice(readOne(small.devices.pci_0000_00_00_0 ?? ""))?.driver).toBeUndefined();
  });

  it("whose firmware knows no node counts as on the first", () => {
    const xml = nodedevs([h100])[nodedevName(h100.address)] ?? "";
    expect(readPciDevice(readOne(xml.replace("<numa node='1'/>", "<numa node='-1'/>")))?.numaNode).toBe(0);
    expect(readPciDevice(readOne(xml.replace("<numa node='1'/>", "")))?.numaNode).toBe(0);
  });

  it("of a libvirt that does not tell classes has none", () => {
    const xml = nodedevs([h100])[nodedevName(h100.address)] ?? "";
    expect(readPciDevice(readOne(xml.replace(/<class>.*<\/class>/, "")))?.kind).toBeUndefined();
  });

  it("that is divided says into how many, and each part says of what it is one", () => {
    const virtual = ["0000:9d:00.4", "0000:9d:00.5"];
    expect(read({ ...h100, virtual })).toMatchObject({ virtualFunctions: 2, physicalFunction: undefined });
    expect(read({ ...h100, virtual: [] })).toMatchObject({ virtualFunctions: 0 });
    const part = { ...h100, address: "0000:9d:00.4", physical: h100.address };
    expect(read(part)).toMatchObject({ virtualFunctions: 0, physicalFunction: "0000:9d:00.0" });
  });

  it("has the address that it has, whatever number system it is told in", () => {
    const hex = (max: number, digits: number) =>
      fc.integer({ min: 0, max }).map((number) => number.toString(16).padStart(digits, "0"));
    const address = fc
      .tuple(hex(0x1ffff, 4), hex(255, 2), hex(31, 2), hex(7, 1))
      .map(([domain, bus, slot, part]) => `${domain}:${bus}:${slot}.${part}`);
    fc.assert(
      fc.property(fc.uniqueArray(address, { minLength: 2, maxLength: 2 }), ([one = "", other = ""]) => {
        const device = read({ ...h100, address: one }, { ...h100, address: other });
        expect(device?.address).toBe(one);
        expect(device?.iommuGroup?.others).toEqual([other]);
      }),
    );
  });

  it.each([
    ["another kind of device", "<device><name>net_eth0</name><capability type='net'/></device>"],
    ["a device without an address", "<device><capability type='pci'><vendor id='0x1'/></capability></device>"],
    [
      "an address that is none",
      `<device><capability type='pci'><domain>0</domain><bus>x</bus><slot>0</slot><function>0</function>
       <vendor id='0x1'/><product id='0x1'/></capability></device>`,
    ],
  ])("is not what %s is taken for", (_what, xml) => {
    expect(readPciDevice(readOne(xml))).toBeUndefined();
  });
});

it("functions of one slot are one card", () => {
  expect(slotOf("0000:9d:00.0")).toBe(slotOf("0000:9d:00.7"));
  expect(slotOf("0000:9d:00.0")).not.toBe(slotOf("0000:9d:01.0"));
});
