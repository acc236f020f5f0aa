// The engine's hosts: each with its hardware, as long as it is reachable and verified to run machines. Used by
// engine.ts.

import type { HostReport } from "../engine.ts";
import { type Inventory, readInventory } from "./host/inventory.ts";
import { hostReport } from "./host/report.ts";
import type { HostConnection } from "./host-connection.ts";
import { type TimeoutPolicy, timeoutPolicy, waitingFor } from "./timeouts.ts";
import type { Verifications } from "./verifications.ts";

export class Hosts {
  readonly #proofs: Verifications;
  readonly #patience: TimeoutPolicy;
  readonly #inventories = new Map<string, Inventory>();
  /** The last report of each host. */
  readonly #reports = new Map<string, HostReport>();

  constructor(proofs: Verifications, waiting: TimeoutPolicy = timeoutPolicy()) {
    this.#proofs = proofs;
    this.#patience = waiting;
  }

  /** Throws only the signal's reason. */
  async read(places: readonly HostConnection[], signal: AbortSignal): Promise<HostReport[]> {
    const reports = await Promise.all(
      places.map((place) =>
        waitingFor(this.#patience(place, signal), (within) => this.#readOne(place, signal, within)),
      ),
    );
    return reports.flatMap((report) => report ?? []);
  }

  /** The last inventory of the host; reads it if there is none. Throws as readInventory. */
  async inventoryOf(place: HostConnection, signal: AbortSignal): Promise<Inventory> {
    return this.#inventories.get(place.host.name) ?? this.#look(place, signal);
  }

  async #readOne(place: HostConnection, signal: AbortSignal, within: AbortSignal): Promise<HostReport | undefined> {
    const { host, settings } = place;
    const inventory = await this.#look(place, within).catch(() => {
      signal.throwIfAborted();
      return undefined;
    });
    const report = hostReport(host, settings, inventory, this.#reports.get(host.name));
    if (inventory === undefined || report === undefined) return report;
    this.#reports.set(host.name, report);
    return { ...report, available: report.available && (await this.#proofs.works(place, within)) };
  }

  async #look(place: HostConnection, signal: AbortSignal): Promise<Inventory> {
    const inventory = await readInventory(place.virsh, place.settings, signal);
    this.#inventories.set(place.host.name, inventory);
    return inventory;
  }
}
