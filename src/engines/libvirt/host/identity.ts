// Who a host is. Used by the engine, which must not take another machine under the same name for the loss of all of its.
//
// Not the host's own UUID: where the firmware has none, libvirt makes it up anew at each start. The pool's is in its
// definition, on the disk of the host.

import type { LibvirtSettings } from "../settings/settings.ts";
import type { Virsh } from "../virsh/virsh.ts";
import { readOne } from "../xml/read.ts";

/** Its name, and the id of its pool. Throws VirshError, the signal's reason, and Error for an answer without them. */
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
