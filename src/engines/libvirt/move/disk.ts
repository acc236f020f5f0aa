// The disk of a machine, as the file that a move copies. Used by the files of this folder.

import type { MachineRef } from "../../engine.ts";
import type { HostConnection } from "../host-connection.ts";
import { volumes } from "../labels.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readOne } from "../xml/read.ts";

export interface Disk {
  /** Of its file. */
  readonly bytes: number;
  /** What the guest sees. */
  readonly capacity: number;
  /** The image's file; undefined: it stands alone. */
  readonly imagePath: string | undefined;
  /** Another one after each write: what was copied before belongs to another state of the disk. */
  readonly state: string;
}

/** Undefined: the host has none. Throws VirshError. */
export async function readDisk(
  { virsh, settings }: HostConnection,
  { id }: Pick<MachineRef, "id">,
  signal: AbortSignal,
): Promise<Disk | undefined> {
  const order = ["vol-dumpxml", "--pool", settings.pool, volumes.disk(id)];
  const text = await unless("noSuchVolume", virsh.call(order, { signal }));
  if (text === undefined) return undefined;
  const xml = readOne(text);
  const bytes = xml.one("physical")?.bytes;
  const capacity = xml.one("capacity")?.bytes;
  if (bytes === undefined || capacity === undefined) {
    throw new Error("libvirt reports no size of a volume: it is older than a move needs");
  }
  const changed = xml.one("target", "timestamps", "mtime")?.text ?? "";
  return { bytes, capacity, imagePath: xml.one("backingStore", "path")?.text, state: `${changed}/${bytes}` };
}
