// The identity of a host. Used by the engine, which must not mistake another machine under the same name for the loss
// of all its machines.
//
// Not the host's UUID: without one in the firmware, libvirt creates a new one at each start. The pool's UUID is in its
// definition on the host's disk.

import type { LibvirtSettings } from "../settings/settings.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { readOne } from "../xml/read.ts";

/** Its name, and the id of its pool. Throws VirshError, the signal's reason, and Error for output without them. */
export async function readHostIdentity(
  virsh: Virsh,
  { pool }: Pick<LibvirtSettings, "pool">,
  signal: AbortSignal,
): Promise<string> {
  const text = await virsh.all([["hostname"], ["pool-dumpxml", pool]], { signal });
  const begin = text.indexOf("<pool");
  const uuid = begin < 0 ? undefined : readOne(text.slice(begin)).one("uuid")?.text;
  if (!uuid) throw new Error("libvirt does not say which pool it has");
  return `${text.slice(0, begin).trim()}/${uuid}`;
}
