// The filters of machines on their hosts. Used by create.ts, start.ts, remove.ts and engine.ts.
//
// Invariants. A filter exists before the domain that names it, and is removed with the machine; it survives restarts of
// the host and of libvirt. Redefining one with the same rules changes nothing; other rules apply to running machines at
// once.

import { AtOnce } from "../at-once.ts";
import { type Domain, readDomain } from "../domains.ts";
import type { HostConnection } from "../host-connection.ts";
import { fromInput } from "../virsh/virsh.ts";
import { unless } from "../virsh/virsh-error.ts";
import { readBoundary } from "./boundary.ts";
import { type Boundary, filterName, filterXml } from "./filter-xml.ts";

/** From the current host and settings. Throws VirshError. */
export async function defineFilter(place: HostConnection, machineId: string, signal: AbortSignal): Promise<void> {
  await defineWith(place, machineId, await readBoundary(place, signal), signal);
}

/** Does nothing if it does not exist. Throws VirshError, also while a running machine uses it. */
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
 * Updates existing filters to the current settings: once per host in this process, because settings are read at start,
 * and again when the host might have restarted.
 */
export class FilterUpdates {
  readonly #updated = new Set<string>();
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #closing = new AbortController();
  readonly #atOnce: AtOnce;

  /** `atOnce`: what limits how many hosts are updated at once. */
  constructor(atOnce = new AtOnce(Number.POSITIVE_INFINITY)) {
    this.#atOnce = atOnce;
  }

  /** In the background; after a failure the next call retries. */
  begin(place: HostConnection, domains: readonly Domain[]): void {
    const { name } = place.host;
    if (this.#updated.has(name) || this.#closing.signal.aborted) return;
    this.#updated.add(name);
    const update = this.#atOnce
      .run(() => updateAll(place, domains, this.#closing.signal))
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

/** Sequentially, so that it does not keep a host busy. */
async function updateAll(place: HostConnection, domains: readonly Domain[], signal: AbortSignal): Promise<void> {
  if (domains.length === 0) return;
  const boundary = await readBoundary(place, signal);
  for (const { machineId } of domains) {
    await defineWith(place, machineId, boundary, signal);
    // The machine might have been removed since it was listed.
    if ((await readDomain(place, machineId, signal)) === undefined) await removeFilter(place, machineId, signal);
  }
}
