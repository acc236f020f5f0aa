// The filters of machines on their hosts. Used by create.ts, start.ts, remove.ts and engine.ts.
//
// Invariants. A filter is there before the domain that names it, and goes when the machine does; libvirt keeps it over
// restarts of the host and of itself. To define one that is there, with the same rules, changes nothing; with others it
// changes running machines at once.

import { type Domain, readDomain } from "../domains.ts";
import type { HostConnection } from "../host-connection.ts";
import { fromInput } from "../virsh/virsh.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readBoundary } from "./boundary.ts";
import { type Boundary, filterName, filterXml } from "./filter-xml.ts";

/** By what the host and the settings are now. Throws VirshError. */
export async function defineFilter(place: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  await defineWith(place, machineId, await readBoundary(place, signal), signal);
}

/** Nothing to do where there is none. Throws VirshError, also while a machine that runs has it. */
export async function removeFilter({ virsh }: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  await unless("noSuchFilter", virsh.call(["nwfilter-undefine", filterName(machineId)], { signal }));
}

async function defineWith(
  { virsh }: HostConnection,
  machineId: string,
  boundary: Boundary,
  signal: AbortSignal,
): Promise<void> {
  await virsh.call(["nwfilter-define", fromInput], { input: filterXml(machineId, boundary), signal });
}

/**
 * Filters of machines that are there already, made to say what the settings say now. Once for each host in the life of
 * this process, because settings are read at its start, and again when the host may have begun anew.
 */
export class FilterUpdates {
  readonly #updated = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();

  /** In the background; where it fails the next call tries again. */
  begin(place: HostConnection, domains: readonly Domain[]): void {
    const { name } = place.host;
    if (this.#updated.has(name) || this.#closing.signal.aborted) return;
    this.#updated.add(name);
    const update = updateAll(place, domains, this.#closing.signal)
      .catch(() => void this.#updated.delete(name))
      .then(() => void this.#underWay.delete(name));
    this.#underWay.set(name, update);
  }

  forget(host: string): void {
    this.#updated.delete(host);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the engine is closed"));
    await Promise.all(this.#underWay.values());
  }
}

/** One after the other, so that nobody waits for a host that is kept busy by this. */
async function updateAll(place: HostConnection, domains: readonly Domain[], signal: AbortSignal): Promise<void> {
  if (domains.length === 0) return;
  const boundary = await readBoundary(place, signal);
  for (const { machineId } of domains) {
    await defineWith(place, machineId, boundary, signal);
    // It may have been removed since it was listed.
    if ((await readDomain(place, machineId, signal)) === undefined) await removeFilter(place, machineId, signal);
  }
}
