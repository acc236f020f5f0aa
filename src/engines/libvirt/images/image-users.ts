// The disks that are based on an image. Used before anything of an image is removed.

import type { HostConnection } from "../host-connection.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readVolumeNames } from "../volume-names.ts";
import { readOne } from "../xml/read.ts";

/** The names of their volumes. Throws VirshError. */
export async function usersOf(place: HostConnection, image: string, signal: AbortSignal): Promise<string[]> {
  const path = (await readXml(place, image, signal))?.one("target", "path")?.text;
  if (path === undefined) return [];
  const users: string[] = [];
  for (const name of await readVolumeNames(place, signal)) {
    if (name === image) continue;
    const xml = await readXml(place, name, signal);
    if (xml?.one("backingStore", "path")?.text === path) users.push(name);
  }
  return users;
}

async function readXml({ virsh, settings }: HostConnection, name: string, signal: AbortSignal) {
  const text = await unless("noSuchVolume", virsh.call(["vol-dumpxml", "--pool", settings.pool, name], { signal }));
  return text === undefined ? undefined : readOne(text);
}
