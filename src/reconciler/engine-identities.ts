// Wraps an engine so that calls go only to what has a confirmed identity: the whole engine (a cluster), or each of its
// hosts, so that one changed host does not stop the others. Used by reconciler.ts and resync-job.ts.
//
// Invariant: nothing is concluded without a confirmed identity. Calls are rejected as `unavailable`; lists report the
// hosts as unreachable and unschedulable.

import type { Database } from "../database/connect.ts";
import { type Engine, EngineError, type GuestMetricsChannel, type Mover } from "../engines/engine.ts";
import { EngineIdentity } from "./engine-identity.ts";
import type { Log } from "./log.ts";

export class EngineIdentities {
  readonly #worlds: ReadonlyMap<string | undefined, EngineIdentity>;

  constructor(db: Database, engine: Engine, log: Log) {
    const hosts = engine.worlds ?? [undefined];
    this.#worlds = new Map(hosts.map((host) => [host, new EngineIdentity(db, engine, host, log)]));
  }

  /**
   * Checks identities again: all, or of `only` these hosts. Throws as EngineIdentity.check; if each host has its own,
   * returns those that this check did not confirm: they changed or do not respond.
   */
  async check(signal: AbortSignal, only: readonly string[] = [...this.#hostsWhere(() => true)]): Promise<Set<string>> {
    await this.#worlds.get(undefined)?.check(signal);
    const looks = only.map(async (host) => {
      try {
        await this.#worlds.get(host)?.check(signal);
        return [];
      } catch (error) {
        // The list reports hosts that do not respond as unreachable; a changed identity is logged already.
        if (error instanceof EngineError) return [host];
        throw error;
      }
    });
    return new Set((await Promise.all(looks)).flat());
  }

  /** Checks only what is not confirmed yet. Rejecting an unknown host is left to the engine. Throws as EngineIdentity.check. */
  async ready(host: string | undefined, signal: AbortSignal): Promise<void> {
    const world = this.#of(host);
    if (world !== undefined && !world.isKnown) await world.check(signal);
  }

  /** Checks again what the host belongs to. Throws as EngineIdentity.check. */
  async confirm(host: string, signal: AbortSignal): Promise<void> {
    await this.#of(host)?.check(signal);
  }

  /** The hosts that the last check did not confirm, if each host has its own identity: listings leave them out. */
  strangers(): Set<string> {
    return this.#hostsWhere((world) => !world.isConfirmed);
  }

  /** Those of them that no check confirmed before either. */
  unknown(): Set<string> {
    return this.#hostsWhere((world) => !world.isKnown);
  }

  #hostsWhere(holds: (world: EngineIdentity) => boolean): Set<string> {
    return new Set([...this.#worlds].flatMap(([host, world]) => (host !== undefined && holds(world) ? [host] : [])));
  }

  #of(host: string | undefined): EngineIdentity | undefined {
    return this.#worlds.get(undefined) ?? this.#worlds.get(host);
  }
}

/** The engine, limited to calls with a confirmed identity. */
export function guarded(engine: Engine, worlds: EngineIdentities): Engine {
  const first = async <T>(host: string | undefined, signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    await worlds.ready(host, signal);
    return call();
  };
  /** A single identity must be confirmed; of several, unconfirmed hosts are left out afterwards. */
  const ofAll = async <T>(
    signal: AbortSignal,
    only: readonly string[] | undefined,
    call: () => Promise<T>,
  ): Promise<T> => {
    if (engine.worlds === undefined) await worlds.ready(undefined, signal);
    else {
      const unknown = [...worlds.unknown()].filter((host) => only?.includes(host) !== false);
      if (unknown.length > 0) await worlds.check(signal, unknown);
    }
    return call();
  };
  const setInbound = engine.setInbound?.bind(engine);
  const writeGuestFile = engine.writeGuestFile?.bind(engine);
  return {
    name: engine.name,
    worlds: engine.worlds,
    get firewalls() {
      return engine.firewalls;
    },
    gpuHelper: engine.gpuHelper,
    get mover(): Mover | undefined {
      const { mover } = engine;
      return (
        mover && {
          keepsSource: mover.keepsSource,
          copy: (spec, from, copiedBytes, signal) =>
            first(from, signal, () => first(spec.host, signal, () => mover.copy(spec, from, copiedBytes, signal))),
          removeCopy: (copy, kept, signal) => first(copy.host, signal, () => mover.removeCopy(copy, kept, signal)),
        }
      );
    },
    get guestMetrics(): GuestMetricsChannel | undefined {
      const { guestMetrics } = engine;
      return (
        guestMetrics && {
          // Of several identities none is waited for: guests of hosts without a confirmed one are left out.
          readLines: async (machines, signal) => {
            if (engine.worlds === undefined) await worlds.ready(undefined, signal);
            const strangers = worlds.strangers();
            return guestMetrics.readLines(
              machines.filter(({ host }) => !strangers.has(host)),
              signal,
            );
          },
          keepOnly: (ids) => guestMetrics.keepOnly(ids),
        }
      );
    },
    ...(setInbound !== undefined && {
      setInbound: (machine, inbound, signal) => first(machine.host, signal, () => setInbound(machine, inbound, signal)),
    }),
    ...(writeGuestFile !== undefined && {
      writeGuestFile: (machine, file, signal) =>
        first(machine.host, signal, () => writeGuestFile(machine, file, signal)),
    }),
    identity: (signal, host) => engine.identity(signal, host),
    hosts: (signal, only) =>
      ofAll(signal, only, async () => {
        const reports = await engine.hosts(signal, only);
        const strangers = worlds.strangers();
        return reports.map((report) => (strangers.has(report.name) ? { ...report, available: false } : report));
      }),
    create: (spec, signal) => first(spec.host, signal, () => engine.create(spec, signal)),
    start: (spec, signal) => first(spec.host, signal, () => engine.start(spec, signal)),
    stop: (machine, signal) => first(machine.host, signal, () => engine.stop(machine, signal)),
    remove: (machine, signal) => first(machine.host, signal, () => engine.remove(machine, signal)),
    removeFileSystem: (one, signal) => first(one.host, signal, () => engine.removeFileSystem(one, signal)),
    measureFileSystem: (one, signal) => first(one.host, signal, () => engine.measureFileSystem(one, signal)),
    inspect: (machine, signal) =>
      first(machine.host, signal, async () => {
        const report = await engine.inspect(machine, signal);
        // A missing machine ends its rental, and the host might have returned reinstalled since the last check.
        if (report === undefined) await worlds.confirm(machine.host, signal);
        return report;
      }),
    list: (signal, only) =>
      ofAll(signal, only, async () => {
        const listing = await engine.list(signal, only);
        const strangers = new Set([...worlds.strangers()].filter((host) => only?.includes(host) !== false));
        if (strangers.size === 0) return listing;
        const { machines, unreachableHosts } = listing;
        return {
          machines: machines.filter(({ host }) => !strangers.has(host)),
          unreachableHosts: [...new Set([...unreachableHosts, ...strangers])],
        };
      }),
    watch: (onChange, onGap) => engine.watch(onChange, onGap),
    consoleLog: (machine, signal) => first(machine.host, signal, () => engine.consoleLog(machine, signal)),
    openTerminal: (machine, order, signal) =>
      first(machine.host, signal, () => engine.openTerminal(machine, order, signal)),
    close: () => engine.close(),
  };
}
