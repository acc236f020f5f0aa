// Which devices of a host are GPUs, and which of those can be assigned to a guest. Pure. Used by inventory.ts.
//
// A GPU can be offered if its IOMMU group contains only its own card: besides bridges, which stay with the host, only
// functions of the same slot (sound, USB-C). Those companions are assigned with it, because the kernel gives a group to
// one owner. A group with another GPU or another device (network, disk) would give the guest what belongs to the host
// or another tenant, so such a GPU is not offered, with the reason. Invariant: no two offered GPUs share a device.
//
// SR-IOV: a virtual function is not a GPU here, because no table says how large its share is. A card with virtual
// functions is not offered, because they might be in use. Operators can declare virtual functions by address.
//
// NVSwitches connect the GPUs of a baseboard, and go only to a machine that has all of them (assigned.ts).

import { type PciDevice, slotOf } from "./pci.ts";

export interface Passable extends PciDevice {
  /** The other functions of its card that are assigned with it, in order. */
  readonly companions: readonly string[];
  /** Why it cannot be assigned, a short sentence for the operator; undefined: it can. */
  readonly obstacle: string | undefined;
}

/** Graphics: VGA, 3D, "other" (AMD's MI200); and processing accelerators (MI300). */
const gpuKinds = new Set([0x0300, 0x0302, 0x0380, 0x1200]);

/** ASPEED, Matrox and Huawei make graphics chips of management controllers. */
const consoleMakers = new Set(["1a03", "102b", "19e5"]);
const vga = 0x0300;

const nvidia = "10de";
const otherBridge = 0x0680;

/**
 * The addresses of devices without any GPU function: disks, network cards, controllers. Assigning one to a guest would
 * take it from the host itself.
 */
export function findOthers(devices: readonly PciDevice[]): string[] {
  return devices.flatMap(({ address, kind }) => (kind !== undefined && gpuKinds.has(kind) ? [] : [address])).sort();
}

export function findGpus(devices: readonly PciDevice[]): Passable[] {
  return passable(devices, (device) => isGpu(device) && device.physicalFunction === undefined);
}

export function findSwitches(devices: readonly PciDevice[]): Passable[] {
  return passable(devices, (device) => device.vendorId === nvidia && device.kind === otherBridge);
}

function passable(devices: readonly PciDevice[], wanted: (device: PciDevice) => boolean): Passable[] {
  const byAddress = new Map(devices.map((device) => [device.address, device]));
  return devices
    .filter(wanted)
    .map((device) => ({ ...device, ...passageOf(device, byAddress) }))
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

function passageOf(
  device: PciDevice,
  byAddress: ReadonlyMap<string, PciDevice>,
): Pick<Passable, "companions" | "obstacle"> {
  const { iommuGroup, virtualFunctions } = device;
  if (iommuGroup === undefined) {
    return never("it has no IOMMU group: enable the IOMMU in the firmware and for the kernel (intel_iommu=on)");
  }
  if (virtualFunctions > 0) return never(`it is divided into ${virtualFunctions} virtual functions`);
  const companions: string[] = [];
  for (const address of iommuGroup.others) {
    const other = byAddress.get(address);
    const has = `its IOMMU group ${iommuGroup.number} has`;
    // It appeared or disappeared during the reading; the next one is complete.
    if (other === undefined) return never(`${has} ${address} too, an unknown device`);
    if (isBridge(other)) continue;
    if (isGpu(other)) return never(`${has} another GPU, ${address}`);
    if (isConsole(other) || slotOf(address) !== slotOf(device.address)) {
      return never(`${has} ${describe(other)} too, which is another device`);
    }
    companions.push(address);
  }
  return { companions, obstacle: undefined };
}

function never(obstacle: string): Pick<Passable, "companions" | "obstacle"> {
  return { companions: [], obstacle };
}

function isGpu(device: PciDevice): boolean {
  return device.kind !== undefined && gpuKinds.has(device.kind) && !isConsole(device);
}

function isConsole({ kind, vendorId }: PciDevice): boolean {
  return kind === vga && consoleMakers.has(vendorId);
}

/** Bridges between buses, and the processor's own end of one if it has no driver. The kernel leaves both to the host. */
function isBridge({ kind, driver }: PciDevice): boolean {
  return kind === 0x0604 || (kind === 0x0600 && driver === undefined);
}

function describe({ address, vendor, product, vendorId, productId }: PciDevice): string {
  const name = [vendor, product].filter((part) => part !== "").join(" ");
  return `${address} (${name === "" ? `${vendorId}:${productId}` : name})`;
}
