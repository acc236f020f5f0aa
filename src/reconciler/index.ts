// Fulfilment: makes reality match. server.ts starts it, with every engine there is; any number of servers may run one
// on the same database.
//
// It is level-triggered: an instance's row says what should be, and a worker does what is missing (worker.ts, step.ts,
// perform.ts). Everything else only makes it notice sooner: NOTIFY after a commit, the engine's own hints, the sweep.
// Beside it, and in the same manner, the data of deleted file systems is removed (file-system-removal.ts), that of others
// is measured (file-system-usage.ts), and events are delivered to webhooks (deliveries/).

import { type Database, listen } from "../database/connect.ts";
import type { Engine } from "../engines/engine.ts";
import { Metrics } from "../metrics/index.ts";
import { type Work, workChannel } from "../rental/instances/wake.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { startDeliveries } from "./deliveries/index.ts";
import { guarded, KnownWorlds } from "./engine-identities.ts";
import { type Gate, openGate } from "./failpoints.ts";
import { removeFileSystems } from "./file-system-removal.ts";
import { measureFileSystems } from "./file-system-usage.ts";
import { takeDuty } from "./job-store.ts";
import { type Log, reason } from "./log.ts";
import { startChores } from "./maintenance/index.ts";
import { Missing } from "./missing.ts";
import { FactQueue } from "./observation-queue.ts";
import { tellOfStrangers } from "./outage.ts";
import { periodically } from "./periodic.ts";
import { ReleaseQueue } from "./release-queue.ts";
import { Sweeping } from "./resync-job.ts";
import { type FulfilmentSettings, withDefaults } from "./settings.ts";
import { timedEngine } from "./timed-engine.ts";
import { Worker } from "./worker.ts";

export { type Gate, type Point, points } from "./failpoints.ts";
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
  /** What every step goes through (points.ts). Open unless given. */
  readonly gate?: Gate;
  /** Where turns and engine calls are counted. Nowhere unless given. */
  readonly metrics?: Metrics;
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

/** Starts at once; never fails for want of a database or an engine, but goes on trying. */
export function startFulfilment(parts: FulfilmentParts): Fulfilment {
  const { db, keyRing, log, gate = openGate, metrics = new Metrics() } = parts;
  const settings = withDefaults(parts.settings);
  const memories = { missing: new Missing(), halted: new Missing() };
  const queues = { facts: new FactQueue(db), releases: new ReleaseQueue(db, settings) };
  const served = [...parts.engines.values()].map((bare) => {
    const timed = timedEngine(bare, metrics);
    const worlds = new KnownWorlds(db, timed, log);
    const engine = guarded(timed, worlds);
    // A worker for each, so that an engine which does not answer keeps nobody from the others.
    const engines = new Map([[engine.name, engine]]);
    const worker = new Worker({ db, engines, keyRing, settings, log, gate, metrics, ...queues, ...memories });
    return { engine, worlds, worker };
  });
  const engines = served.map(({ engine }) => engine);
  const workers = served.map(({ worker }) => worker);
  const underWay = () => workers.reduce((sum, worker) => sum + worker.underWay, 0);
  metrics.onScrape(() => metrics.set("lessor_fulfilment_turns_under_way", {}, underWay()));
  const pokeWorkers = () => {
    for (const worker of workers) worker.poke();
  };

  for (const worker of workers) worker.start();
  const told = tellOfStrangers(
    db,
    engines.map(({ name }) => name),
    log,
  ).catch((error: unknown) => {
    log.warn({ error: reason(error) }, "cannot look for hosts of other engines");
  });
  const removals = engines.map((engine) => {
    const remove = (signal: AbortSignal) => removeFileSystems(db, engine, settings, log, signal);
    // No rest after a long one: it was long because the engine was slow, and only what is due is asked for.
    return periodically(`removing file systems of ${engine.name}`, settings.pollSeconds, log, remove, 0);
  });
  const pokeRemovals = () => Promise.all(removals.map((one) => one.poke()));
  const { leaseSeconds } = settings;
  const deliveries = startDeliveries({
    db,
    keyRing,
    log,
    settings: { leaseSeconds, ...settings.deliveries },
  });
  const pokeAll = () => {
    pokeWorkers();
    deliveries.poke();
    void pokeRemovals();
  };
  const listener = listen(
    { url: parts.databaseUrl },
    workChannel,
    (work) => {
      if (work === ("file systems" satisfies Work)) void pokeRemovals();
      else if (work === ("events" satisfies Work) || work === ("webhooks" satisfies Work)) deliveries.poke();
      else pokeWorkers();
    },
    pokeAll,
  );
  const sweepings = served.map(({ engine, worlds, worker }) => {
    const sweeping = new Sweeping({ db, engine, worlds, settings, log, onWork: () => worker.poke() });
    const unwatch = engine.watch(
      (id) => worker.hint(id),
      () => sweeping.missedSomething(),
    );
    return { sweeping, unwatch };
  });
  const measurements = engines.map((engine) => {
    const name = `measuring file systems of ${engine.name}`;
    return periodically(name, settings.measureSeconds, log, async (signal) => {
      if (await takeDuty(db, name, settings.measureSeconds)) {
        await measureFileSystems(db, engine, settings, log, signal);
      }
    });
  });
  const chores = startChores({ db, settings, log });

  return {
    stop: async () => {
      for (const { unwatch } of sweepings) unwatch();
      const duties = [...chores, ...removals, ...measurements, ...sweepings.map(({ sweeping }) => sweeping)];
      const all = [...workers, deliveries, ...duties].map((one) => one.stop());
      await Promise.all([told, listener.close(), ...all]);
    },
    poke: pokeAll,
    idle: async () => {
      await Promise.all(workers.map((worker) => worker.idle()));
      await pokeRemovals();
    },
    sweepNow: async () => {
      const { signal } = new AbortController();
      await Promise.all(sweepings.map(({ sweeping }) => sweeping.now(signal)));
    },
  };
}
