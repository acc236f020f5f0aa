// One PCI device as libvirt describes it (nodedev-dumpxml). Used by inventory.ts; gpus.ts decides what can be offered.

import type { XmlNode } from "../xml/read.ts";

export interface PciDevice {
  /** dddd:bb:ss.f in lower-case hex, as in the kernel, libvirt and the settings. */
  readonly address: string;
  /** Base class and subclass, such as 0x0302; undefined if unknown. */
  readonly kind: number | undefined;
  /** Four lower-case hex digits. */
  readonly vendorId: string;
  readonly productId: string;
  /** From the host's tables; "" if unknown. */
  readonly vendor: string;
  readonly product: string;
  /** Its NUMA node. 0 if the firmware does not report one, as with a single node. */
  readonly numaNode: number;
  /** Its current driver, such as vfio-pci or nvidia. */
  readonly driver: string | undefined;
  /** Undefined: the host has no enabled IOMMU. */
  readonly iommuGroup: IommuGroup | undefined;
  /** The device of which it is a virtual function (SR-IOV). */
  readonly physicalFunction: string | undefined;
  /** Its current number of virtual functions. */
  readonly virtualFunctions: number;
}

/** Devices that can only be assigned together. */
export interface IommuGroup {
  readonly number: number;
  /** The addresses of all other devices in it, in order. */
  readonly others: readonly string[];
}

/** `device`: the element of that name. Undefined if it is not a PCI device. */
export function readPciDevice(device: XmlNode): PciDevice | undefined {
  const pci = capability(device, "pci");
  if (pci === undefined) return undefined;
  const [domain, bus, slot, pciFunction] = ["domain", "bus", "slot", "function"].map((part) => pci.one(part)?.text);
  const address = pciAddress(domain, bus, slot, pciFunction);
  const [vendor, product] = [pci.one("vendor"), pci.one("product")];
  if (address === undefined || vendor === undefined || product === undefined) return undefined;
  const physical = capability(pci, "phys_function")?.one("address");
  return {
    address,
    kind: readKind(pci.one("class")?.text),
    vendorId: readId(vendor),
    productId: readId(product),
    vendor: vendor.text,
    product: product.text,
    numaNode: pci.one("numa")?.number("node") ?? 0,
    driver: device.one("driver", "name")?.text || undefined,
    iommuGroup: readGroup(pci.one("iommuGroup"), address),
    physicalFunction: physical && readAddress(physical),
    virtualFunctions: capability(pci, "virt_functions")?.all("address").length ?? 0,
  };
}

/** Its slot: all functions of a slot are one card. */
export function slotOf(address: string): string {
  return address.slice(0, address.lastIndexOf("."));
}

function capability(node: XmlNode, type: string): XmlNode | undefined {
  return node.all("capability").find((one) => one.attribute("type") === type);
}

/** "0x030200" is class, subclass and interface. */
function readKind(text: string | undefined): number | undefined {
  return text !== undefined && /^0x[0-9a-f]{6}$/i.test(text) ? Number(text) >> 8 : undefined;
}

function readId(node: XmlNode): string {
  return (node.attribute("id") ?? "").replace(/^0x/i, "").toLowerCase().padStart(4, "0");
}

function readGroup(group: XmlNode | undefined, self: string): IommuGroup | undefined {
  const number = group?.number("number");
  if (group === undefined || number === undefined) return undefined;
  const addresses = group.all("address").flatMap((one) => readAddress(one) ?? []);
  return { number, others: addresses.filter((address) => address !== self).sort() };
}

function readAddress(node: XmlNode): string | undefined {
  const [domain, bus, slot, pciFunction] = ["domain", "bus", "slot", "function"].map((part) => node.attribute(part));
  return pciAddress(domain, bus, slot, pciFunction);
}

/** From decimal numbers, or hexadecimal ones with 0x: libvirt uses the former in elements and the latter in attributes. */
function pciAddress(...parts: readonly (string | undefined)[]): string | undefined {
  if (parts.some((part) => part === undefined || !/^(0x[0-9a-f]+|\d+)$/i.test(part))) return undefined;
  const [domain = "", bus = "", slot = "", pciFunction = ""] = parts.map((part) => Number(part).toString(16));
  return `${domain.padStart(4, "0")}:${bus.padStart(2, "0")}:${slot.padStart(2, "0")}.${pciFunction}`;
}
