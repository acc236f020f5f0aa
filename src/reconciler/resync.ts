// The full resync: compares an engine's machines with its instances. Finds what no call and no hint reported: a guest
// that halted itself, a missing machine, a host that died or came back, an orphaned machine.
//
// A lost host that the engine reaches again is cleaned of what is orphaned there, without a grace period, and returns.
//
// It decides nothing about an instance. It wakes drifted ones, and a reconciliation observes them again and acts. So an
// outdated or wrong list costs one more check and does no harm.

import type { Database } from "../database/connect.ts";
import type { Engine, ListedMachine } from "../engines/engine.ts";
import { noteDowntime } from "../rental/billing/downtime.ts";
import { listingBegins, lostHostsReached, recordReached, returnHost } from "../rental/hosts/lost-hosts.ts";
import { compare, type Findings } from "./compare.ts";
import { engineCall } from "./engine-call.ts";
import { wake } from "./lease-store.ts";
import { type Log, reason } from "./log.ts";
import { Missing } from "./missing.ts";
import {
  endedWithTheirHost,
  expectedOn,
  isExpected,
  isUnknownSinceRestore,
  recordHealth,
  wasLost,
} from "./resync-store.ts";
import type { Settings } from "./settings.ts";
import { slicesOf } from "./slices.ts";

/** How many machines of ended rentals are removed at once. */
const AT_ONCE = 8;

export class Resync {
  readonly #db: Database;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #orphans = new Missing();
  #compared = 0;

  constructor(db: Database, engine: Engine, settings: Settings, log: Log) {
    this.#db = db;
    this.#engine = engine;
    this.#settings = settings;
    this.#log = log;
  }

  /** How many instances the last resync compared. */
  get compared(): number {
    return this.#compared;
  }

  /**
   * Runs one resync. `unreported`: known hosts that the engine does not report. True if it woke an instance. Throws what
   * the engine or the database throws.
   */
  async run(unreported: readonly string[], signal: AbortSignal): Promise<boolean> {
    const listedAt = await listingBegins(this.#db);
    const listing = await engineCall(this.#settings.engineCallSeconds, signal, (late) => this.#engine.list(late));
    // Before instances are read: those of a host that is reached now cannot end with it any more.
    await recordReached(this.#db, this.#engine.name, [...listing.unreachableHosts, ...unreported], listedAt);
    // After the list: an instance's row is committed before its machine is created, so no machine looks like an orphan
    // because its row was read too early.
    const expected = expectedOn(this.#db, this.#engine.name, listing.unreachableHosts);
    const findings = await compare(listing, expected);
    this.#compared = findings.compared;
    await this.#noteHealth(findings);
    const woken = this.#believable(findings);
    if (woken.length > 0) {
      this.#log.info(
        { engine: this.#engine.name, instances: woken.slice(0, 20), count: woken.length },
        "full resync found drifted instances",
      );
      await wake(this.#db, woken);
    }
    await this.#clean(findings.orphans, await lostHostsReached(this.#db, this.#engine.name, listedAt), signal);
    return woken.length + findings.becameReachable.length > 0;
  }

  async #noteHealth({ becameUnreachable, becameReachable }: Findings): Promise<void> {
    const engine = this.#engine.name;
    // Before what is reachable again is recorded: it was unreachable until now.
    await this.#noteDowntime();
    const lost = await recordHealth(this.#db, becameUnreachable, "unreachable");
    if (lost > 0) this.#log.warn({ engine, count: lost }, "instances became unreachable");
    const back = await recordHealth(this.#db, becameReachable, "ok");
    if (back > 0) this.#log.info({ engine, count: back }, "instances became reachable");
  }

  async #noteDowntime(): Promise<void> {
    const { downtime } = this.#settings;
    const count = await noteDowntime(this.#db, this.#engine.name, downtime);
    const told = { engine: this.#engine.name, count, policy: downtime.policy };
    if (count > 0) this.#log.info(told, "instances have downtime: their hosts are unreachable");
  }

  /**
   * A rental ends when its machine is gone. If many are gone at once, the engine probably shows something else (another
   * project, an empty cluster after a reinstall), and an operator has to check.
   */
  #believable({ compared, astray, missing }: Findings): string[] {
    const tooMany = missing.length >= this.#settings.massLoss && missing.length * 2 > compared;
    if (!tooMany) return [...astray];
    const told = { engine: this.#engine.name, missing: missing.length, instances: compared };
    this.#log.error(told, "most machines are missing; no instance is ended, check the engine");
    const lost = new Set(missing);
    return astray.filter((id) => !lost.has(id));
  }

  /** Those that have been orphans for the whole grace period, as far as this process has observed. */
  #ripeOrphans(orphans: readonly ListedMachine[]): ListedMachine[] {
    this.#orphans.keepOnly(new Set(orphans.map(({ id }) => id)));
    return orphans.filter(({ id }) => this.#orphans.confirm(id, this.#settings.orphanGraceSeconds));
  }

  /** Removes orphans: those on lost hosts that are reached again, and those that ended with their host, at once. */
  async #clean(orphans: readonly ListedMachine[], lostHosts: readonly string[], signal: AbortSignal): Promise<void> {
    const lost = new Set(lostHosts);
    const endedWithHost = await endedWithTheirHost(
      this.#db,
      orphans.map(({ id }) => id),
    );
    const [urgent, usual] = [true, false].map((wanted) =>
      orphans.filter(({ id, host }) => (lost.has(host) || endedWithHost.has(id)) === wanted),
    );
    for (const orphan of this.#ripeOrphans(usual ?? [])) {
      if (!(await wasLost(this.#db, orphan.id))) await this.#removeOrphan(orphan, signal);
      // It contains a customer's data.
      else this.#log.error(this.#told(orphan), "found a machine whose instance was ended as lost; remove it manually");
    }
    for await (const some of slicesOf(urgent ?? [], AT_ONCE)) {
      await Promise.all(some.map((orphan) => this.#removeOrphan(orphan, signal)));
    }
    const unclean = new Set(orphans.map(({ host }) => host));
    for (const host of lost) if (!unclean.has(host)) await this.#returnHost(host);
  }

  /** The lost host was cleaned: an operator can use it again. */
  async #returnHost(host: string): Promise<void> {
    await returnHost(this.#db, host);
    this.#log.warn({ engine: this.#engine.name, host }, "lost host returned; it is clean, and cordoned");
  }

  #told({ id, host }: ListedMachine): Record<string, string> {
    return { engine: this.#engine.name, machine: id, host };
  }

  async #removeOrphan(orphan: ListedMachine, signal: AbortSignal): Promise<void> {
    const told = this.#told(orphan);
    if (await isExpected(this.#db, orphan.id)) return;
    if (await isUnknownSinceRestore(this.#db, orphan.id)) {
      // It might have been rented after the backup.
      this.#log.error(
        told,
        "found a machine that is not in the restored backup; remove it manually, or remove all with `lessor restore --accept-orphans`",
      );
      return;
    }
    try {
      await engineCall(this.#settings.engineCallSeconds, signal, (late) => this.#engine.remove(orphan, late));
      this.#log.warn(told, "removed an orphaned machine");
    } catch (error) {
      this.#log.warn({ ...told, error: reason(error) }, "cannot remove an orphaned machine");
    }
  }
}
