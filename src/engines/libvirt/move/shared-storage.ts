// Whether two hosts have their disks in one place, such as a directory that both have mounted. A disk there cannot be
// copied from one to the other, and the copy that is removed would be the only one. Used by prepare.ts.
//
// libvirt cannot say it: the paths are the same on every host. So a volume that was created at one host must not be in
// the way of the same volume at the other. Its name is never used again, so that no other attempt is in the way.

import type { HostConnection } from "../host-connection.ts";
import { makeRaw } from "../images/unfinished.ts";
import { says } from "../virsh/virsh-error.ts";
import { deleteVolume } from "../volumes.ts";

const BYTES = 512;

/** Throws VirshError. */
export async function shareStorage(one: HostConnection, other: HostConnection, signal: AbortSignal): Promise<boolean> {
  const name = `lessor-shared-${crypto.randomUUID()}`;
  try {
    await makeRaw(one, name, BYTES, signal);
    await makeRaw(other, name, BYTES, signal);
    return false;
  } catch (error) {
    if (says(error, "exists")) return true;
    throw error;
  } finally {
    for (const place of [one, other]) await deleteVolume(place, place.settings.pool, name, signal).catch(() => {});
  }
}
