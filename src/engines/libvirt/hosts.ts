// The engine's hosts: each with its hardware, as long as it is reachable and verified to run machines. Used by
// engine.ts.

import { type HostFinding, poolFinding } from "../../rules/host-health.ts";
import type { HostReport } from "../engine.ts";
import { AtOnce } from "./at-once.ts";
import { type Inventory, inventoryReader, type ReadInventory } from "./host/inventory.ts";
import { hostReport } from "./host/report.ts";
import type { HostConnection } from "./host-connection.ts";
import type { HostHealth } from "./host-health.ts";
import { type TimeoutPolicy, timeoutPolicy, waitingFor } from "./timeouts.ts";
import type { Verifications } from "./verifications.ts";
import { says } from "./virsh/virsh-error.ts";

export class Hosts {
  readonly #proofs: Verifications;
  readonly #health: HostHealth;
  readonly #patience: TimeoutPolicy;
  readonly #atOnce: AtOnce;
  readonly #readers = new Map<string, ReadInventory>();
  readonly #inventories = new Map<string, Inventory>();
  /** The last report of each host. */
  readonly #reports = new Map<string, HostReport>();

  /** `atOnce`: what limits how many hosts are read at once. */
  constructor(
    proofs: Verifications,
    health: HostHealth,
    waiting: TimeoutPolicy = timeoutPolicy(),
    atOnce = new AtOnce(Number.POSITIVE_INFINITY),
  ) {
    this.#health = health;
    this.#proofs = proofs;
    this.#patience = waiting;
    this.#atOnce = atOnce;
  }

  /** Throws only the signal's reason. */
  async read(places: readonly HostConnection[], signal: AbortSignal): Promise<HostReport[]> {
    const reports = await Promise.all(places.map((place) => this.#readOne(place, signal)));
    return reports.flatMap((report) => report ?? []);
  }

  /** The last inventory of the host; reads it if there is none. Throws as ReadInventory. */
  async inventoryOf(place: HostConnection, signal: AbortSignal): Promise<Inventory> {
    return this.#inventories.get(place.host.name) ?? this.#look(place, signal);
  }

  async #readOne(place: HostConnection, signal: AbortSignal): Promise<HostReport | undefined> {
    const { host, settings } = place;
    const within = <T>(call: (signal: AbortSignal) => Promise<T>) => waitingFor(this.#patience(place, signal), call);
    let poolProblem: HostFinding | undefined;
    const inventory = await this.#atOnce
      .run(() => within((late) => this.#look(place, late)))
      .catch((error: unknown) => {
        signal.throwIfAborted();
        if (says(error, "noSuchPool")) poolProblem = poolFinding(`the pool ${settings.pool} does not exist`);
        return undefined;
      });
    const report = hostReport(host, settings, inventory, this.#reports.get(host.name));
    if (report !== undefined && poolProblem !== undefined) return { ...report, health: [poolProblem] };
    if (inventory === undefined || report === undefined) return report;
    this.#reports.set(host.name, report);
    const works = await within((late) => this.#proofs.works(place, late));
    return { ...report, available: report.available && works, ...this.#health.of(place, inventory) };
  }

  async #look(place: HostConnection, signal: AbortSignal): Promise<Inventory> {
    const { name } = place.host;
    const read = this.#readers.get(name) ?? inventoryReader(place.virsh, place.settings);
    this.#readers.set(name, read);
    const inventory = await read(signal);
    this.#inventories.set(name, inventory);
    return inventory;
  }
}
