// Creates a machine, halted: its disk, file systems, address, filter, and finally the domain. Used by engine.ts.
//
// Invariant: the domain is defined last, so an existing one has everything that survives a host restart. Each step
// finds what an earlier call created. `remove` finds the objects of an interrupted create by their names.

import { EngineError, type MachineSpec } from "../engine.ts";
import { macOf, reserveAddress } from "./addresses.ts";
import { type DomainPlan, domainXml } from "./domain-xml.ts";
import { readOwnDomain } from "./domains.ts";
import { assignedDevices } from "./host/assigned.ts";
import type { Inventory } from "./host/inventory.ts";
import type { HostConnection } from "./host-connection.ts";
import { defineFilter } from "./isolation/filters.ts";
import { fileSystemVolume, volumes } from "./labels.ts";
import type { LibvirtImage, LibvirtSettings } from "./settings/settings.ts";
import { fromInput } from "./virsh/virsh.ts";
import { makeDisk, makeOverlay, memoryPath, poolPath, readImage } from "./volumes.ts";

const GB = 1_000_000_000;

/** Throws EngineError, VirshError. */
export async function createMachine(
  place: HostConnection,
  inventory: Inventory,
  spec: MachineSpec,
  signal: AbortSignal,
): Promise<"made" | "found"> {
  if ((await readOwnDomain(place, spec.id, signal)) !== undefined) return "found";
  const { volume } = imageOf(place.settings, spec.image);
  const image = await readImage(place, volume, signal);
  const bytes = spec.storageGb * GB;
  if (image.bytes > bytes) {
    throw new EngineError("refused", "image-too-large", "The image is larger than the machine's storage.");
  }
  await makeOverlay(place, volumes.disk(spec.id), image, bytes, signal);
  for (const one of spec.guest.fileSystems) {
    await makeDisk(place, fileSystemVolume(one.id), one.sizeGb * GB, signal);
  }
  await defineHalted(place, inventory, spec, undefined, signal);
  return "made";
}

/**
 * Completes a machine whose disks are there: its address, filter, and domain. `copied`: as in the ownership label. Throws
 * EngineError, VirshError.
 */
export async function defineHalted(
  place: HostConnection,
  inventory: Inventory,
  spec: MachineSpec,
  copied: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  const address = await reserveAddress(place, spec.id, signal);
  await defineFilter(place, spec.id, signal);
  const plan = await planOf(place, inventory, spec, { address, pinned: undefined }, signal);
  await define(place, spec, { ...plan, copied }, signal);
}

/** Defines the domain, or redefines it while the machine is off. Throws VirshError. */
export async function define(
  place: HostConnection,
  spec: MachineSpec,
  plan: DomainPlan,
  signal: AbortSignal,
): Promise<void> {
  await place.virsh.call(["define", fromInput], { input: domainXml(spec, plan), signal });
}

/** Throws EngineError, VirshError. */
export async function planOf(
  place: HostConnection,
  inventory: Inventory,
  spec: MachineSpec,
  { address, pinned }: Pick<DomainPlan, "address" | "pinned">,
  signal: AbortSignal,
): Promise<DomainPlan> {
  const { settings, host, installation } = place;
  const path = await poolPath(place, signal);
  const { boot } = imageOf(settings, spec.image);
  return {
    installation,
    engine: settings.name,
    accelerator: host.accelerator,
    firmware: settings.firmware,
    architecture: inventory.arch,
    poolPath: path,
    memoryPath,
    network: settings.network,
    mac: macOf(spec.id),
    address,
    boot:
      boot === undefined ? undefined : { ...boot, kernel: `${path}/${boot.kernel}`, initrd: `${path}/${boot.initrd}` },
    pinned,
    hugePages: settings.hugePages,
    devices: assignedDevices(inventory, spec.gpuAddresses),
  };
}

/** A name that the settings do not list is the volume "<name>.qcow2". Throws EngineError for an invalid volume name. */
export function imageOf(settings: LibvirtSettings, name: string): LibvirtImage {
  const listed = Object.hasOwn(settings.images, name) ? settings.images[name] : undefined;
  if (listed !== undefined) return listed;
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]*$/.test(name)) {
    throw new EngineError("refused", "image-missing", "The image is not on the host.");
  }
  return { volume: `${name}.qcow2`, boot: undefined };
}
