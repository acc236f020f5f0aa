// The current hardware of a libvirt host: processors, memory, storage pool, GPUs. Takes three calls for any size. Used by the engine, for its hosts and before it creates a machine, and by the
// check.

import { hash } from "node:crypto";
import type { LibvirtSettings } from "../settings/settings.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { says } from "../virsh/virsh-error.ts";
import { readOne, readXml, type XmlNode } from "../xml/read.ts";
import { type Capabilities, readCapabilities } from "./capabilities.ts";
import { findGpus, findOthers, findSwitches, type Passable } from "./gpus.ts";
import { readPciDevice } from "./pci.ts";

const KIB_PER_GIB = 1024 ** 2;
const GB = 1000 ** 3;

export interface Inventory extends Capabilities {
  /** Hardware threads of all cells. */
  readonly threads: number;
  /** Not rounded. */
  readonly memoryGib: number;
  /** The size of the pool, not rounded; 0 while it is inactive. */
  readonly storageGb: number;
  readonly pool: StoragePool;
  /** By address, including those that cannot be offered. */
  readonly gpus: readonly Passable[];
  /** By address. */
  readonly switches: readonly Passable[];
  /** The addresses of all PCI devices that are not GPUs, whatever the settings declare. */
  readonly others: readonly string[];
}

export interface StoragePool {
  /** In libvirt's terms, such as dir, logical or netfs. */
  readonly type: string;
  /** The directory of its volumes on the host; undefined for types without one. */
  readonly path: string | undefined;
  /** As of its last refresh; 0 while it is inactive. */
  readonly freeBytes: number;
  readonly allBytes: number;
}

/** Throws VirshError, the signal's reason, and Error for incomplete output. */
export type ReadInventory = (signal: AbortSignal) => Promise<Inventory>;

/** Reads the host once. Throws as ReadInventory. */
export function readInventory(
  virsh: Virsh,
  settings: Pick<LibvirtSettings, "pool">,
  signal: AbortSignal,
): Promise<Inventory> {
  return inventoryReader(virsh, settings)(signal);
}

/** Reads the same host again and again: only what has changed is parsed, which costs more than reading it. */
export function inventoryReader(virsh: Virsh, { pool }: Pick<LibvirtSettings, "pool">): ReadInventory {
  const capabilitiesIn = lastParsed((text) => readCapabilities(readOne(text)));
  const devicesIn = lastParsed((text) => {
    const devices = readXml(text).flatMap((device) => readPciDevice(device) ?? []);
    return { gpus: findGpus(devices), switches: findSwitches(devices), others: findOthers(devices) };
  });
  return async (signal) => {
    const [listing, poolXml] = await Promise.all([
      virsh.all([["capabilities"], ["nodedev-list", "--cap", "pci"]], { signal }),
      // Separate, because its name can contain any characters.
      virsh.call(["pool-dumpxml", pool], { signal }),
    ]);
    const { capabilities: text, names } = splitListing(listing);
    const capabilities = capabilitiesIn(text);
    const devices = devicesIn(await readDevices(virsh, names, signal));
    const storage = readOne(poolXml);
    return {
      ...capabilities,
      threads: sum(capabilities.cells.map(({ cpus }) => cpus.length)),
      memoryGib: sum(capabilities.cells.map(({ memoryKib }) => memoryKib)) / KIB_PER_GIB,
      storageGb: bytesOf(storage, "capacity") / GB,
      pool: {
        type: storage.attribute("type") ?? "",
        path: storage.one("target", "path")?.text || undefined,
        freeBytes: bytesOf(storage, "available"),
        allBytes: bytesOf(storage, "capacity"),
      },
      ...devices,
    };
  };
}

/** Keeps the last result, and of its text only a digest: a host with many devices describes them in half a megabyte. */
function lastParsed<T>(parse: (text: string) => T): (text: string) => T {
  let last: { readonly digest: string; readonly value: T } | undefined;
  return (text) => {
    const digest = hash("sha256", text);
    if (last?.digest !== digest) last = { digest, value: parse(text) };
    return last.value;
  };
}

/** One document, followed by device names, one per line. */
function splitListing(text: string): { capabilities: string; names: string[] } {
  const last = "</capabilities>";
  const end = text.indexOf(last) + last.length;
  if (end < last.length) throw new Error("libvirt does not say what the host has");
  const names = text
    .slice(end)
    .split("\n")
    .map((line) => line.trim());
  return {
    capabilities: text.slice(0, end),
    names: names.filter((name) => /^pci_[0-9a-f_]+$/i.test(name)),
  };
}

/**
 * Devices per process: a command takes 33 characters, and the kernel limits an argument to 131,072. A host with eight
 * cards and all virtual functions of its network adapters has some thousand.
 */
const AT_ONCE = 2000;

async function readDevices(virsh: Virsh, names: readonly string[], signal: AbortSignal): Promise<string> {
  let text = "";
  for (let from = 0; from < names.length; from += AT_ONCE) {
    text += await readSome(virsh, names.slice(from, from + AT_ONCE), signal);
  }
  return text;
}

/**
 * A device can disappear after the listing (a virtual function, a card that fell off its bus), which can make virsh
 * fail for all. Then each half is read separately, until only the missing one is left out.
 */
async function readSome(virsh: Virsh, names: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const commands = names.map((name) => ["nodedev-dumpxml", name]);
    return await virsh.all(commands, { signal });
  } catch (error) {
    if (!says(error, "noSuchNode")) throw error;
    if (names.length === 1) return "";
    const half = Math.ceil(names.length / 2);
    const first = await readSome(virsh, names.slice(0, half), signal);
    return `${first}${await readSome(virsh, names.slice(half), signal)}`;
  }
}

function bytesOf(pool: XmlNode, what: "capacity" | "available"): number {
  return pool.one(what)?.bytes ?? 0;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
