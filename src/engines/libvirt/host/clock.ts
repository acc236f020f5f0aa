// How far a host's clock is off: libvirt tells no time, but the time of a file that it has just made. Used by the engine,
// for the health of hosts, and by the check.

import type { HostConnection } from "../host-connection.ts";
import { markInMemory } from "../volumes.ts";
import { readOne } from "../xml/read.ts";

/**
 * In seconds; positive: it is ahead of this machine's. Any time between the call and the response counts as right, so a
 * slow connection makes it no worse. Undefined: the host does not tell. Throws VirshError, and the signal's reason.
 */
export async function clockSkew(place: HostConnection, signal: AbortSignal): Promise<number | undefined> {
  const before = Date.now() / 1000;
  const xml = await markInMemory(place, signal);
  const after = Date.now() / 1000;
  const written = Number(readOne(xml).one("target", "timestamps", "mtime")?.text || Number.NaN);
  if (Number.isNaN(written)) return undefined;
  return Math.max(written - after, 0) + Math.min(written - before, 0);
}
