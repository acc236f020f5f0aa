// What a start of a domain fails on: disks, devices and files that are not there or that another domain has. In the order
// in which the real one was seen to notice, with its words.

import { complaint } from "./complain.ts";
import type { Description } from "./domain-xml.ts";
import type { FakeHardware } from "./hardware.ts";
import { directoryOf, type FakeStorage } from "./storage.ts";

export interface StartHost {
  readonly hardware: FakeHardware;
  readonly storage: FakeStorage;
  /** QEMU has begun, and ended: libvirt tells that its monitor is gone. */
  controlError(): void;
}

/** `others`: all that run. Answers with the files of its disks. Throws what the start complains of. */
export function checkStart(domain: Description, others: readonly Description[], host: StartHost): string[] {
  const paths = pathsOf(domain, host.storage);
  checkDevices(domain, others, host.hardware);
  for (const { path } of domain.logs) {
    if (!host.storage.directories.has(directoryOf(path))) {
      throw complaint(`Unable to open file: ${path}: No such file or directory`);
    }
  }
  for (const path of paths) {
    for (const file of chainOf(path, host.storage)) {
      if (!host.storage.files.has(file)) {
        throw complaint(`Cannot access storage file '${file}': No such file or directory`);
      }
    }
  }
  try {
    checkQemu(domain, others, host);
  } catch (error) {
    host.controlError();
    throw error;
  }
  return paths;
}

/** The files of the disks. Throws where a volume is not known. */
export function pathsOf({ disks }: Description, storage: FakeStorage): string[] {
  return disks.map(({ volume, path }) =>
    volume === undefined ? (path ?? "") : storage.pathOf(volume.pool, volume.name),
  );
}

/** The file and what it is an overlay of. */
function chainOf(path: string, storage: FakeStorage): string[] {
  const backing = storage.files.get(path)?.backing?.path;
  return backing === undefined ? [path] : [path, ...chainOf(backing, storage)];
}

function checkDevices(domain: Description, others: readonly Description[], hardware: FakeHardware): void {
  if (domain.hostDevices.length > 0 && !hardware.vfio) {
    throw complaint(
      `unsupported configuration: host doesn't support ${domain.namesVfio ? "VFIO PCI passthrough" : "passthrough of host PCI devices"}`,
    );
  }
  for (const address of domain.hostDevices) {
    if (!hardware.devices.some((device) => device.address === address)) {
      throw complaint(
        `Device ${address} not found: could not access /sys/bus/pci/devices/${address}/config: No such file or directory`,
      );
    }
    const user = others.find((other) => other.hostDevices.includes(address));
    if (user !== undefined) {
      throw complaint(
        `Requested operation is not valid: PCI device ${address} is in use by driver QEMU, domain ${user.name}`,
      );
    }
  }
}

/** What QEMU itself complains of. */
function checkQemu(domain: Description, others: readonly Description[], { hardware, storage }: StartHost): void {
  for (const path of domain.bootFiles) {
    if (!storage.files.has(path)) {
      throw complaint(`${monitorClosed} qemu: could not open kernel file '${path}': No such file or directory`);
    }
  }
  const qemu = `${new Date().toISOString().replace("Z", "000Z")} qemu-system-x86_64: -device`;
  const loose = domain.hostDevices.find((address) => !ownsGroup(address, domain.hostDevices, hardware));
  if (loose !== undefined) {
    const group = hardware.devices.find((device) => device.address === loose)?.iommuGroup;
    throw complaint(
      `${monitorClosed} ${qemu} {"driver":"vfio-pci","host":"${loose}"}: vfio ${loose}: group ${group} is not viable`,
      "Please ensure all devices within the iommu_group are bound to their vfio bus driver.",
    );
  }
  const taken = others.flatMap((other) => locksOf(other, storage));
  for (const mine of locksOf(domain, storage)) {
    const theirs = taken.find((lock) => lock.path === mine.path && (mine.kind !== "read" || lock.kind !== "read"));
    if (theirs === undefined || (mine.kind === "shared" && theirs.kind === "shared")) continue;
    // Who only reads, or shares, asks for a lock that others may have as well.
    const lock = mine.kind === "write" ? `"write" lock` : `shared "write" lock`;
    throw complaint(
      `${monitorClosed} ${qemu} {"driver":"virtio-blk-pci","drive":"libvirt-1-format"}: Failed to get ${lock}`,
      `Is another process using the image [${mine.path}]?`,
    );
  }
}

const monitorClosed = "internal error: qemu unexpectedly closed the monitor:";

/** Whether nothing else that a driver of the host could touch is in the device's IOMMU group. Bridges do not count. */
function ownsGroup(address: string, mine: readonly string[], hardware: FakeHardware): boolean {
  const group = hardware.devices.find((device) => device.address === address)?.iommuGroup;
  const others = hardware.devices.filter((device) => device.iommuGroup === group && !mine.includes(device.address));
  return others.every((device) => device.class.startsWith("0604") || [undefined, "vfio-pci"].includes(device.driver));
}

function locksOf(domain: Description, storage: FakeStorage) {
  return domain.disks.map(({ volume, path, isReadOnly, isShareable }) => {
    const file = volume === undefined ? path : `${storage.pools.get(volume.pool)?.path}/${volume.name}`;
    const kind = isReadOnly ? "read" : isShareable ? "shared" : "write";
    return { path: file, kind };
  });
}
