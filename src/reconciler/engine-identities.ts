// An engine whose every call goes only to a world that is known: one for the whole engine (a cluster), or one for each of
// its hosts, so that a host which is another one now keeps nobody from the others. Used by index.ts and resync-job.ts.
//
// Invariant: of a world that is not known nothing is concluded. Its calls are `unavailable`; in lists its hosts are
// unreachable, and among hosts they take nothing new.

import type { Database } from "../database/connect.ts";
import { type Engine, EngineError } from "../engines/engine.ts";
import { EngineIdentity } from "./engine-identity.ts";
import type { Log } from "./log.ts";

export class EngineIdentities {
  readonly #worlds: ReadonlyMap<string | undefined, EngineIdentity>;

  constructor(db: Database, engine: Engine, log: Log) {
    const hosts = engine.worlds ?? [undefined];
    this.#worlds = new Map(hosts.map((host) => [host, new EngineIdentity(db, engine, host, log)]));
  }

  /**
   * Looks at all of them anew. Throws what EngineIdentity.check throws, but a host of several that is another one, or does
   * not answer, is only left out.
   */
  async check(signal: AbortSignal): Promise<void> {
    const only = this.#worlds.get(undefined);
    if (only !== undefined) return only.check(signal);
    const looks = [...this.#worlds.values()].map(async (world) => {
      try {
        await world.check(signal);
      } catch (error) {
        // What does not answer is told of as unreachable, by the list; another host has been told of just now.
        if (!(error instanceof EngineError)) throw error;
      }
    });
    await Promise.all(looks);
  }

  /** Looks only where it is not known yet. A host that the engine does not have is the engine's to refuse. Throws as EngineIdentity.check. */
  async ready(host: string | undefined, signal: AbortSignal): Promise<void> {
    const world = this.#worlds.get(undefined) ?? this.#worlds.get(host);
    if (world !== undefined && !world.isKnown) await world.check(signal);
  }

  /** Where each host is a world of its own: the hosts that are not known. */
  strangers(): Set<string> {
    const hosts = [...this.#worlds].flatMap(([host, world]) => (host === undefined || world.isKnown ? [] : [host]));
    return new Set(hosts);
  }
}

/** The engine, with every call only to worlds that are known. */
export function guarded(engine: Engine, worlds: EngineIdentities): Engine {
  const first = async <T>(host: string | undefined, signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    await worlds.ready(host, signal);
    return call();
  };
  /** Where there is only one world, it must be known; among several those that are not are left out afterwards. */
  const ofAll = async <T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> => {
    if (engine.worlds === undefined) await worlds.ready(undefined, signal);
    else if (worlds.strangers().size > 0) await worlds.check(signal);
    return call();
  };
  const setInbound = engine.setInbound?.bind(engine);
  return {
    name: engine.name,
    worlds: engine.worlds,
    get firewalls() {
      return engine.firewalls;
    },
    ...(setInbound !== undefined && {
      setInbound: (machine, inbound, signal) => first(machine.host, signal, () => setInbound(machine, inbound, signal)),
    }),
    identity: (signal, host) => engine.identity(signal, host),
    hosts: (signal) =>
      ofAll(signal, async () => {
        const reports = await engine.hosts(signal);
        const strangers = worlds.strangers();
        return reports.map((report) => (strangers.has(report.name) ? { ...report, available: false } : report));
      }),
    create: (spec, signal) => first(spec.host, signal, () => engine.create(spec, signal)),
    start: (spec, signal) => first(spec.host, signal, () => engine.start(spec, signal)),
    stop: (machine, signal) => first(machine.host, signal, () => engine.stop(machine, signal)),
    remove: (machine, signal) => first(machine.host, signal, () => engine.remove(machine, signal)),
    removeFileSystem: (one, signal) => first(one.host, signal, () => engine.removeFileSystem(one, signal)),
    measureFileSystem: (one, signal) => first(one.host, signal, () => engine.measureFileSystem(one, signal)),
    inspect: (machine, signal) => first(machine.host, signal, () => engine.inspect(machine, signal)),
    list: (signal) =>
      ofAll(signal, async () => {
        const listing = await engine.list(signal);
        const strangers = worlds.strangers();
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
