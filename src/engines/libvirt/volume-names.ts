// The names of the volumes in the operator's pool. Used by the check and the import of images.

import type { HostConnection } from "./host-connection.ts";

/** As libvirt knows them since its last refresh. Throws VirshError. */
export async function readVolumeNames({ virsh, settings }: HostConnection, signal: AbortSignal): Promise<string[]> {
  const text = await virsh.call(["vol-list", settings.pool], { signal });
  // A name can contain spaces; the path after it begins with a slash.
  return text.split("\n").flatMap((line) => /^ ?(.*?)\s{2,}\/.*$/.exec(line)?.[1] ?? []);
}
