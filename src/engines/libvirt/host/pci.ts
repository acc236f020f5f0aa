// One PCI device as libvirt describes it (nodedev-dumpxml). Used by inventory.ts; what can be rented is for gpus.ts to
// say.

import type { XmlNode } from "../xml/read.ts";

export interface PciDevice {
  /** dddd:bb:ss.f in lower-case hex, as the kernel, libvirt and the settings write it. */
  readonly address: string;
  /** Base class and subclass, such as 0x0302; undefined where libvirt does not say. */
  readonly kind: number | undefined;
  /** Four lower-case hex digits. */
  readonly vendorId: string;
  readonly productId: string;
  /** As the host's own tables name them; "" where they do not. */
  readonly vendor: string;
  readonly product: string;
  /** The one that it hangs on. 0 where the firmware does not say, which machines with one node do not. */
  readonly numaNode: number;
  /** What drives it now, such as vfio-pci or nvidia. */
  readonly driver: string | undefined;
  /** Undefined: the host has no IOMMU that is switched on. */
  readonly iommuGroup: IommuGroup | undefined;
  /** Of which device it is a virtual function (SR-IOV). */
  readonly physicalFunction: string | undefined;
  /** How many virtual functions it is divided into now. */
  readonly virtualFunctions: number;
}

/** What can only be given away together. */
export interface IommuGroup {
  readonly number: number;
  /** The addresses of everything else in it, in order. */
  readonly others: readonly string[];
}

/** `device`: the element of that name. Undefined where it is no PCI device. */
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

/** The slot: all its functions are one card. */
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

/**
 * Of decimal numbers, or hexadecimal ones with 0x: libvirt writes elements in the one way and attributes in the other.
 */
function pciAddress(...parts: readonly (string | undefined)[]): string | undefined {
  if (parts.some((part) => part === undefined || !/^(0x[0-9a-f]+|\d+)$/i.test(part))) return undefined;
  const [domain = "", bus = "", slot = "", pciFunction = ""] = parts.map((part) => Number(part).toString(16));
  return `${domain.padStart(4, "0")}:${bus.padStart(2, "0")}:${slot.padStart(2, "0")}.${pciFunction}`;
}
