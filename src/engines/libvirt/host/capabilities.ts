// Parses `virsh capabilities`: the host's identity, its processors and memory by NUMA cell, and its emulators. Used by
// inventory.ts.

import type { XmlNode } from "../xml/read.ts";

/** A NUMA node of the host; libvirt invents one if the hardware has none. */
export interface Cell {
  readonly id: number;
  /** Hardware threads, in order. Empty for memory-only nodes. */
  readonly cpus: readonly number[];
  /** Includes huge pages. */
  readonly memoryKib: number;
  /** Memory reserved as huge pages, by size. */
  readonly hugePages: readonly Pages[];
}

export interface Pages {
  readonly sizeKib: number;
  readonly count: number;
}

export interface Emulator {
  /** In libvirt's terms, such as x86_64. */
  readonly arch: string;
  readonly path: string;
  /** What libvirt lists, such as qemu and kvm. Does not mean that it works. */
  readonly domainTypes: readonly string[];
}

export interface Capabilities {
  /** From the firmware; without one it changes at each start of the daemon. */
  readonly uuid: string;
  readonly arch: string;
  readonly emulators: readonly Emulator[];
  /** Whether the host has an enabled IOMMU. */
  readonly iommu: boolean;
  readonly cells: readonly Cell[];
}

/** `root`: the element of that name. Throws for output that no host produces. */
export function readCapabilities(root: XmlNode): Capabilities {
  const [uuid, arch] = [root.one("host", "uuid")?.text, root.one("host", "cpu", "arch")?.text];
  const cells = root.all("host", "topology", "cells", "cell").map(readCell);
  if (!uuid || !arch || cells.length === 0) throw new Error("libvirt does not say what the host is");
  return {
    uuid,
    arch,
    emulators: root.all("guest").flatMap(readEmulator),
    iommu: root.one("host", "iommu")?.attribute("support") === "yes",
    cells,
  };
}

function readCell(cell: XmlNode): Cell {
  const id = cell.number("id");
  if (id === undefined) throw new Error("libvirt does not say which NUMA node it speaks of");
  const memory = cell.one("memory");
  return {
    id,
    cpus: cell
      .all("cpus", "cpu")
      .flatMap((cpu) => cpu.number("id") ?? [])
      .sort((a, b) => a - b),
    memoryKib: Math.floor((memory?.bytes ?? 0) / 1024),
    hugePages: hugeOnly(cell.all("pages").flatMap(readPages)),
  };
}

function readPages(pages: XmlNode): Pages[] {
  const sizeKib = pages.number("size");
  return sizeKib !== undefined && /^\d+$/.test(pages.text) ? [{ sizeKib, count: Number(pages.text) }] : [];
}

/** Without the smallest size, which is ordinary pages: 4 KiB, on ARM possibly 64. */
export function hugeOnly(pages: readonly Pages[]): Pages[] {
  const ordinary = Math.min(...pages.map(({ sizeKib }) => sizeKib));
  return pages.filter(({ sizeKib }) => sizeKib > ordinary).sort((a, b) => a.sizeKib - b.sizeKib);
}

/** None if it runs only containers or paravirtual kernels. */
function readEmulator(guest: XmlNode): Emulator[] {
  const arch = guest.one("arch");
  const [name, path] = [arch?.attribute("name"), arch?.one("emulator")?.text];
  if (guest.one("os_type")?.text !== "hvm" || arch === undefined || !name || !path) return [];
  return [{ arch: name, path, domainTypes: arch.all("domain").flatMap((one) => one.attribute("type") ?? []) }];
}
