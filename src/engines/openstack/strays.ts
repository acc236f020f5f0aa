// Removes ports that no create will complete: an order that arrived when the process that sent it was gone, and its machine
// was made with another port, or had ended. Used by tidy.ts.
//
// Invariant: only ports that say that they are ours (`portText`) and that no create has tagged, in two readings. A create
// whose port is removed nevertheless makes another.

import type { Port } from "./api.ts";
import type { Cloud, Region } from "./cloud.ts";
import { isPortText, machineIdIn } from "./labels.ts";
import { readPorts } from "./machines.ts";
import { removePort } from "./network.ts";

/** Longer than a create takes, and so seldom that the requests do not count. */
const EVERY_MS = 600_000;

export class Strays {
  readonly #now: () => number;
  readonly #seen = new Map<Region, { readonly at: number; readonly ids: ReadonlySet<string> }>();

  /** `now`: in milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Does nothing if it was called less than ten minutes ago. Throws as Client.call. */
  async remove(cloud: Cloud, region: Region, signal: AbortSignal): Promise<void> {
    const at = this.#now();
    const before = this.#seen.get(region);
    if (before !== undefined && at - before.at < EVERY_MS) return;
    // Those without a server are down.
    const ports = await readPorts(cloud, region, { status: "DOWN" }, signal);
    const strays = ports.filter((port) => isStray(cloud, port)).map(({ id }) => id);
    this.#seen.set(region, { at, ids: new Set(strays) });
    for (const id of strays) if (before?.ids.has(id) === true) await removePort(cloud, region, id, signal);
  }
}

function isStray({ owner }: Cloud, { name, device_id, tags, description }: Port): boolean {
  return (
    device_id === "" && !tags.includes(owner) && isPortText(description, owner) && machineIdIn([name]) !== undefined
  );
}
