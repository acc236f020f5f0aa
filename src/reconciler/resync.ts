// The full resync: compares an engine's machines with its instances. Finds what no call and no hint reported: a guest
// that halted itself, a missing machine, a host that died or came back, an orphaned machine.
//
// A lost host that the engine reaches again is cleaned of what is orphaned there, without a grace period, and returns.
// What moves leave behind is removed too (left-copies.ts).
//
// Single hosts are resynced between, where something of them might have been missed (host-resyncs.ts).
//
// It decides nothing about an instance. It wakes drifted ones, and a reconciliation observes them again and acts. So an
// outdated or wrong list costs one more check and does no harm.

import type { Database } from "../database/connect.ts";
import type { Engine, ListedMachine, MachineListing } from "../engines/engine.ts";
import { noteDowntime } from "../rental/billing/downtime.ts";
import { allHosts, type HostScope, scopeTest } from "../rental/hosts/host-scope.ts";
import {
  listingBegins,
  lostHostsReached,
  recordReached,
  returnHost,
  unreachedHosts,
} from "../rental/hosts/lost-hosts.ts";
import { compare, type Findings } from "./compare.ts";
import { engineCall } from "./engine-call.ts";
import { LatestReadings } from "./latest-readings.ts";
import { wake } from "./lease-store.ts";
import { LeftCopies } from "./left-copies.ts";
import { type Log, reason } from "./log.ts";
import { Missing } from "./missing.ts";
import { movesIn, withoutSecondCopies } from "./resync-moves.ts";
import {
  alignOutages,
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

/** When a resync began: by performance.now(), and by the database. */
export interface Begun {
  readonly at: number;
  readonly listedAt: Date;
}

/** Returns those of the hosts whose identity is not confirmed now. Throws what the engine or the database throws. */
type Strangers = (signal: AbortSignal, hosts: readonly string[]) => Promise<ReadonlySet<string>>;

export class Resync {
  readonly #db: Database;
  readonly #engine: Engine;
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #strangersAmong: Strangers;
  readonly #orphans = new Missing();
  readonly #readings = new LatestReadings();
  readonly #copies: LeftCopies;
  #compared = 0;

  constructor(db: Database, engine: Engine, settings: Settings, log: Log, strangersAmong: Strangers) {
    this.#db = db;
    this.#strangersAmong = strangersAmong;
    this.#engine = engine;
    this.#settings = settings;
    this.#log = log;
    this.#copies = new LeftCopies(db, engine, settings, log);
  }

  /** How many instances the last full resync compared. */
  get compared(): number {
    return this.#compared;
  }

  /** To be called before identities are checked. Throws what the database throws. */
  async begin(): Promise<Begun> {
    return { at: performance.now(), listedAt: await listingBegins(this.#db) };
  }

  /**
   * Runs one resync of the hosts in this scope. `unreported`: known ones that the engine does not report. True if it woke
   * an instance. Throws what the engine or the database throws.
   */
  async run(
    { at, listedAt }: Begun,
    unreported: readonly string[],
    signal: AbortSignal,
    scope: HostScope = allHosts,
  ): Promise<boolean> {
    const { engineCallSeconds } = this.#settings;
    const listing = await engineCall(engineCallSeconds, signal, (late) => this.#engine.list(late, scope.only));
    const unreachableHosts = [...listing.unreachableHosts, ...unreported];
    const reached = await this.#reached({ ...listing, unreachableHosts }, signal, scope);
    const found = await this.#readings.record(at, scope, (current) =>
      this.#compare(within(current, reached), listedAt, current),
    );
    const withCopies = await this.#copies.remove(found.copies, scope, signal);
    await this.#clean(found.orphans, found.lostHosts, withCopies, signal, scope);
    return found.woke;
  }

  /**
   * The listing without hosts that were not reached before and are not the same as then: one might have been reinstalled
   * between its check and the listing. One that is confirmed after the listing was not.
   */
  async #reached(listing: MachineListing, signal: AbortSignal, scope: HostScope): Promise<MachineListing> {
    const gone = new Set(listing.unreachableHosts);
    const back = (await unreachedHosts(this.#db, this.#engine.name, scope)).filter((host) => !gone.has(host));
    if (back.length === 0) return listing;
    const strangers = await this.#strangersAmong(signal, back);
    return {
      ...listing,
      machines: listing.machines.filter(({ host }) => !strangers.has(host)),
      unreachableHosts: [...gone, ...strangers],
    };
  }

  async #compare(listing: MachineListing, listedAt: Date, scope: HostScope) {
    // Before instances are read: those of a host that is reached now cannot end with it any more.
    await recordReached(this.#db, this.#engine.name, listing.unreachableHosts, listedAt, scope);
    // After the list: an instance's row is committed before its machine is created, so no machine looks like an orphan
    // because its row was read too early.
    const { unreachableHosts, evacuatedHosts = [] } = listing;
    const gone = [...unreachableHosts, ...evacuatedHosts];
    // On a cluster an operator can move machines; hosts with identities of their own do not share any.
    const isCluster = this.#engine.worlds === undefined;
    const expected = expectedOn(this.#db, this.#engine.name, gone, scope, isCluster);
    const moves = await movesIn(this.#db, this.#engine.name);
    const findings = await compare(withoutSecondCopies(listing, moves), expected);
    if (scope.only === undefined) this.#compared = findings.compared;
    await this.#noteHealth(findings, evacuatedHosts);
    const woken = [...this.#believable(findings), ...moves.flatMap(({ id, isForgotten }) => (isForgotten ? [id] : []))];
    if (woken.length > 0) {
      this.#log.info(
        { engine: this.#engine.name, instances: woken.slice(0, 20), count: woken.length },
        "full resync found drifted instances",
      );
      await wake(this.#db, woken);
    }
    const { machines } = listing;
    const lostHosts = await lostHostsReached(this.#db, this.#engine.name, listedAt, scope);
    return {
      orphans: findings.orphans,
      lostHosts,
      copies: { moves, lostHosts: new Set(lostHosts), machines, doubles: findings.doubles },
      woke: woken.length + findings.becameReachable.length > 0,
    };
  }

  async #noteHealth({ becameUnreachable, becameReachable }: Findings, evacuated: readonly string[]): Promise<void> {
    const engine = this.#engine.name;
    await alignOutages(this.#db, engine, evacuated);
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
  #ripeOrphans(orphans: readonly ListedMachine[], scope: HostScope): ListedMachine[] {
    if (scope.only === undefined) this.#orphans.keepOnly(new Set(orphans.map(({ id }) => id)));
    return orphans.filter(({ id }) => this.#orphans.confirm(id, this.#settings.orphanGraceSeconds));
  }

  /** Removes orphans: those on lost hosts that are reached again, and those that ended with their host, at once. */
  async #clean(
    orphans: readonly ListedMachine[],
    lostHosts: readonly string[],
    withCopies: ReadonlySet<string>,
    signal: AbortSignal,
    scope: HostScope,
  ): Promise<void> {
    const lost = new Set(lostHosts);
    const endedWithHost = await endedWithTheirHost(
      this.#db,
      orphans.map(({ id }) => id),
    );
    const [urgent, usual] = [true, false].map((wanted) =>
      orphans.filter(({ id, host }) => (lost.has(host) || endedWithHost.has(id)) === wanted),
    );
    for (const orphan of this.#ripeOrphans(usual ?? [], scope)) {
      if (!(await wasLost(this.#db, orphan.id))) await this.#removeOrphan(orphan, signal);
      // It contains a customer's data.
      else this.#log.error(this.#told(orphan), "found a machine whose instance was ended as lost; remove it manually");
    }
    for await (const some of slicesOf(urgent ?? [], AT_ONCE)) {
      await Promise.all(some.map((orphan) => this.#removeOrphan(orphan, signal)));
    }
    const unclean = new Set([...orphans.map(({ host }) => host), ...withCopies]);
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

/** The part of it on hosts of the scope. */
function within(scope: HostScope, listing: MachineListing): MachineListing {
  if (scope.only === undefined && scope.except?.length === 0) return listing;
  const { machines, unreachableHosts, evacuatedHosts = [] } = listing;
  const isMeant = scopeTest(scope);
  return {
    machines: machines.filter(({ host }) => isMeant(host)),
    unreachableHosts: unreachableHosts.filter(isMeant),
    evacuatedHosts: evacuatedHosts.filter(isMeant),
  };
}
