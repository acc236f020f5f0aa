// What a libvirt host has, as it is now: processors, memory, the storage pool, GPUs. Three processes of virsh, whatever
// its size; over SSH each costs a connection. Used by the engine, for its hosts and before it makes a machine, and the
// check.

import type { LibvirtSettings } from "../settings/settings.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { says } from "../virsh/virsh-error.ts";
import { readOne, readXml, type XmlNode } from "../xml/read.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";
import { findGpus, findOthers, findSwitches, type Passable } from "./gpus.ts";
import { type PciDevice, readPciDevice } from "./pci.ts";

const KIB_PER_GIB = 1024 ** 2;
const GB = 1000 ** 3;

export interface Inventory extends Capabilities {
  /** Hardware threads of all cells. */
  readonly threads: number;
  /** All memory, not rounded. */
  readonly memoryGib: number;
  /** How large the pool is, not rounded; 0 while it is not active. */
  readonly storageGb: number;
  readonly pool: StoragePool;
  /** By address, also those that cannot be rented. */
  readonly gpus: readonly Passable[];
  /** The NVSwitches, by address. */
  readonly switches: readonly Passable[];
  /** The addresses of all PCI devices that are no GPUs, whatever the settings say of them. */
  readonly others: readonly string[];
}

export interface StoragePool {
  /** As libvirt calls it, such as dir, logical or netfs. */
  readonly type: string;
  /** The directory on the host that its volumes are in; undefined for kinds without one. */
  readonly path: string | undefined;
}

/** Throws VirshError, the signal's reason, and Error for an answer without what every host says. */
export async function readInventory(
  virsh: Virsh,
  { pool }: Pick<LibvirtSettings, "pool">,
  signal: AbortSignal,
): Promise<Inventory> {
  const [listing, poolXml] = await Promise.all([
    virsh.all([["capabilities"], ["nodedev-list", "--cap", "pci"]], { signal }),
    // By itself, because its name may have any characters.
    virsh.call(["pool-dumpxml", pool], { signal }),
  ]);
  const { capabilities, names } = splitListing(listing);
  const devices = await readDevices(virsh, names, signal);
  const storage = readOne(poolXml);
  return {
    ...capabilities,
    threads: sum(capabilities.cells.map(({ cpus }) => cpus.length)),
    memoryGib: sum(capabilities.cells.map(({ memoryKib }) => memoryKib)) / KIB_PER_GIB,
    storageGb: storageBytes(storage) / GB,
    pool: { type: storage.attribute("type") ?? "", path: storage.one("target", "path")?.text || undefined },
    gpus: findGpus(devices),
    switches: findSwitches(devices),
    others: findOthers(devices),
  };
}

/** One document, and after it the names of devices, a line each. */
function splitListing(text: string): { capabilities: Capabilities; names: string[] } {
  const last = "</capabilities>";
  const end = text.indexOf(last) + last.length;
  if (end < last.length) throw new Error("libvirt does not say what the host has");
  const names = text
    .slice(end)
    .split("\n")
    .map((line) => line.trim());
  return {
    capabilities: readCapabilities(readOne(text.slice(0, end))),
    names: names.filter((name) => /^pci_[0-9a-f_]+$/i.test(name)),
  };
}

/**
 * How many are asked for at once: a command takes 33 characters, and the kernel lets an argument have 131,072. A host
 * with eight cards and all virtual functions of its network adapters has some thousand.
 */
const AT_ONCE = 2000;

async function readDevices(virsh: Virsh, names: readonly string[], signal: AbortSignal): Promise<PciDevice[]> {
  const devices: PciDevice[] = [];
  for (let from = 0; from < names.length; from += AT_ONCE) {
    devices.push(...(await readSome(virsh, names.slice(from, from + AT_ONCE), signal)));
  }
  return devices;
}

/**
 * A device may go between the listing and this (a virtual function, a card that fell off its bus). virsh may fail all
 * for it, and does where it is the last one: then each half is read for itself, until only the one is left that is
 * gone.
 */
async function readSome(virsh: Virsh, names: readonly string[], signal: AbortSignal): Promise<PciDevice[]> {
  try {
    const commands = names.map((name) => ["nodedev-dumpxml", name]);
    return readXml(await virsh.all(commands, { signal })).flatMap((device) => readPciDevice(device) ?? []);
  } catch (error) {
    if (!says(error, "noSuchNode")) throw error;
    if (names.length === 1) return [];
    const half = Math.ceil(names.length / 2);
    const first = await readSome(virsh, names.slice(0, half), signal);
    return [...first, ...(await readSome(virsh, names.slice(half), signal))];
  }
}

function storageBytes(pool: XmlNode): number {
  return pool.one("capacity")?.bytes ?? 0;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
