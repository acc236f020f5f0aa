// Fulfilment: makes reality match. server.ts starts it, with every engine there is; any number of servers may run one
// on the same database.
//
// It is level-triggered: an instance's row says what should be, and a worker does what is missing (worker.ts, step.ts,
// perform.ts). Everything else only makes it notice sooner: NOTIFY after a commit, the engine's own hints, the sweep.
// Beside it, and in the same manner, the data of deleted file systems is removed (file-system-removal.ts).

import { type Database, listen } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { type Work, workChannel } from "../rental/instances/wake.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { deleteOldIdempotencyKeys } from "./chores.ts";
import { takeDuty } from "./duty-store.ts";
import { removeFileSystems } from "./file-system-removal.ts";
import { guarded, KnownWorld } from "./known-world.ts";
import { type Log, reason } from "./log.ts";
import { Missing } from "./missing.ts";
import { noteOutage, tellOfStrangers } from "./outage.ts";
import { type Periodic, periodically } from "./periodic.ts";
import { type FulfilmentSettings, withDefaults } from "./settings.ts";
import { Sweep } from "./sweep.ts";
import { syncHosts } from "./sync-hosts.ts";
import { Worker } from "./worker.ts";

export type { Log } from "./log.ts";
export type { FulfilmentSettings } from "./settings.ts";

export interface FulfilmentParts {
  readonly db: Database;
  /** For a connection of its own, that listens. */
  readonly databaseUrl: string;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly keyRing: KeyRing;
  readonly settings: FulfilmentSettings;
  readonly log: Log;
}

export interface Fulfilment {
  /** Drains: lets steps under way end, gives up those that take too long, and leaves no lease behind. */
  stop(): Promise<void>;
  /** There may be work: a hint from this process, cheaper than a notification. */
  poke(): void;
  /** Resolves when nothing is due and nothing runs. For tests. */
  idle(): Promise<void>;
  /** Reads all hosts and sweeps all engines now, whoever's duty it is. Throws what an engine throws. */
  sweepNow(): Promise<void>;
}

/** A sweep is long because the engine is slow, as when a host has just died, more often than because there is so much. */
const SWEEP_REST = 1;

/** So many sweeps that fail one after the other are an outage; when a server starts the first one is. */
const FAILURES_OF_AN_OUTAGE = 2;

/** Starts at once; never fails for want of a database or an engine, but goes on trying. */
export function startFulfilment(parts: FulfilmentParts): Fulfilment {
  const { db, keyRing, log } = parts;
  const settings = withDefaults(parts.settings);
  const worlds = new Map([...parts.engines.values()].map((engine) => [engine.name, new KnownWorld(db, engine, log)]));
  const engines = new Map<string, Engine>();
  for (const engine of parts.engines.values()) {
    const world = worlds.get(engine.name);
    if (world !== undefined) engines.set(engine.name, guarded(engine, world));
  }
  const worker = new Worker({ db, engines, keyRing, settings, log, missing: new Missing(), halted: new Missing() });
  const sweeps = [...engines.values()].map((engine) => ({ engine, sweep: new Sweep(db, engine, settings, log) }));

  const sweepOne = async ({ engine, sweep }: (typeof sweeps)[number], signal: AbortSignal) => {
    await worlds.get(engine.name)?.check(signal);
    await syncHosts(db, engine, settings, log, signal);
    if (await sweep.run(signal)) worker.poke();
  };
  const duty = (name: string, seconds: number, body: (signal: AbortSignal) => Promise<unknown>): Periodic =>
    periodically(name, seconds, log, async (signal) => {
      if (await takeDuty(db, name, seconds)) await body(signal);
    });

  worker.start();
  const told = tellOfStrangers(db, [...engines.keys()], log).catch((error: unknown) => {
    log.warn({ error: reason(error) }, "cannot look for hosts of other engines");
  });
  const removals = [...engines.values()].map((engine) => {
    const remove = (signal: AbortSignal) => removeFileSystems(db, engine, settings, log, signal);
    // No rest after a long one: it was long because the engine was slow, and only what is due is asked for.
    return periodically(`removing file systems of ${engine.name}`, settings.pollSeconds, log, remove, 0);
  });
  const pokeRemovals = () => Promise.all(removals.map((one) => one.poke()));
  const pokeAll = () => {
    worker.poke();
    void pokeRemovals();
  };
  const listener = listen(
    { url: parts.databaseUrl },
    workChannel,
    (work) => {
      if (work === ("file systems" satisfies Work)) void pokeRemovals();
      else worker.poke();
    },
    pokeAll,
  );
  const sweepDuties = sweeps.map((one) => {
    const name = `sweep of ${one.engine.name}`;
    // What happened while no server ran was told to nobody.
    let missedSomething = true;
    let failures = FAILURES_OF_AN_OUTAGE - 1;
    const periodic = periodically(
      name,
      settings.sweepSeconds,
      log,
      async (signal) => {
        const isOurTurn = await takeDuty(db, name, settings.sweepSeconds);
        if (!isOurTurn && !missedSomething) return;
        missedSomething = false;
        try {
          await sweepOne(one, signal);
          failures = 0;
        } catch (error) {
          failures++;
          if (!signal.aborted && failures >= FAILURES_OF_AN_OUTAGE) await noteOutage(db, one.engine.name);
          throw error;
        }
      },
      SWEEP_REST,
    );
    const lookNow = () => {
      missedSomething = true;
      void periodic.poke();
    };
    return { engine: one.engine, periodic, lookNow };
  });
  const watches = sweepDuties.map(({ engine, lookNow }) => engine.watch((id) => worker.hint(id), lookNow));
  const duties = [
    ...sweepDuties.map(({ periodic }) => periodic),
    duty("deleting idempotency keys", settings.choreSeconds, () => deleteOldIdempotencyKeys(db)),
  ];

  return {
    stop: async () => {
      for (const unwatch of watches) unwatch();
      await told;
      await Promise.all([listener.close(), worker.stop(), ...[...duties, ...removals].map((one) => one.stop())]);
    },
    poke: pokeAll,
    idle: async () => {
      await worker.idle();
      await pokeRemovals();
    },
    sweepNow: async () => {
      const { signal } = new AbortController();
      await Promise.all(sweeps.map((one) => sweepOne(one, signal)));
    },
  };
}
