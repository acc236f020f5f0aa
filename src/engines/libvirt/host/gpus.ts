// Which devices of a host are GPUs, and which of those can be given to a guest. Pure. Used by inventory.ts.
//
// A GPU can be rented when it has an IOMMU group of its own card: besides bridges, which stay with the host, everything
// else in the group is a function of the same slot (sound, USB-C). Those are its companions and go into the guest with
// it, because the kernel gives a group to one owner or to none. A group with another GPU or with a foreign device
// (network, disk) would hand the guest what belongs to the host or to another tenant, so such a GPU is not rented, with
// the reason.
// Invariant: no two GPUs that can be rented have a device in common.
//
// SR-IOV. A virtual function is no GPU here: how large its share is no table says, and the card stays with the host.
// A card that is divided now is not rented, for its parts may be in use. Who rents such parts declares them by address.
//
// NVSwitches connect the GPUs of a baseboard, and only who has all of those can be given them (assigned.ts).

import { type PciDevice, slotOf } from "./pci.ts";

export interface Passable extends PciDevice {
  /** The other functions of its card that go into the guest with it, in order. */
  readonly companions: readonly string[];
  /** Why it cannot be given to a guest, a short sentence for the operator; undefined: it can. */
  readonly obstacle: string | undefined;
}

/** Graphics: VGA, 3D, "other" (AMD's MI200 is one); and processing accelerators (MI300). */
const gpuKinds = new Set([0x0300, 0x0302, 0x0380, 0x1200]);

/** ASPEED, Matrox and Huawei make the graphics chips by which a server's management controller shows its screen. */
const consoleMakers = new Set(["1a03", "102b", "19e5"]);
const vga = 0x0300;

const nvidia = "10de";
const otherBridge = 0x0680;

/**
 * The addresses of what is no GPU, in any of its parts: disks, network cards, controllers. Given to a guest, such a device
 * would be taken from the host itself, without a question.
 */
export function findOthers(devices: readonly PciDevice[]): string[] {
  return devices.flatMap(({ address, kind }) => (kind !== undefined && gpuKinds.has(kind) ? [] : [address])).sort();
}

/** The GPUs among all PCI devices of a host, by address. */
export function findGpus(devices: readonly PciDevice[]): Passable[] {
  return passable(devices, (device) => isGpu(device) && device.physicalFunction === undefined);
}

/** The NVSwitches, by address. */
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
    return never("it has no IOMMU group: switch the IOMMU on, in the firmware and for the kernel (intel_iommu=on)");
  }
  if (virtualFunctions > 0) return never(`it is divided into ${virtualFunctions} virtual functions`);
  const companions: string[] = [];
  for (const address of iommuGroup.others) {
    const other = byAddress.get(address);
    const has = `its IOMMU group ${iommuGroup.number} has`;
    // It came or went while the devices were read: the next reading knows more.
    if (other === undefined) return never(`${has} ${address} too, and libvirt does not say what that is`);
    if (isBridge(other)) continue;
    if (isGpu(other)) return never(`${has} another GPU, ${address}`);
    if (isConsole(other) || slotOf(address) !== slotOf(device.address)) {
      return never(`${has} ${describe(other)} too, which is no part of it`);
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

/**
 * Between buses; and the processor's own end of one, as long as nothing drives it. The kernel leaves both to the host.
 */
function isBridge({ kind, driver }: PciDevice): boolean {
  return kind === 0x0604 || (kind === 0x0600 && driver === undefined);
}

function describe({ address, vendor, product, vendorId, productId }: PciDevice): string {
  const name = [vendor, product].filter((part) => part !== "").join(" ");
  return `${address} (${name === "" ? `${vendorId}:${productId}` : name})`;
}
