// The reconciler: makes machines match the desired state. server.ts starts it with every configured engine; any number
// of replicas can run it on the same database.
//
// It is level-triggered: an instance's row holds the desired state, and a worker takes the missing steps (worker.ts,
// step.ts, reconcile.ts). NOTIFY after a commit, engine hints and the full resync only make it react sooner. Also here:
// removal of deleted file systems (file-system-removal.ts), measuring of the others (file-system-usage.ts), and webhook
// deliveries (deliveries/).

import type { Database } from "../database/connect.ts";
import { listen } from "../database/listen.ts";
import type { Engine } from "../engines/engine.ts";
import { Metrics } from "../metrics/metrics.ts";
import { type Work, workChannel } from "../rental/instances/wake.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { startDeliveries } from "./deliveries/deliveries.ts";
import { EngineIdentities, guarded } from "./engine-identities.ts";
import { type FailpointRunner, noFailpoints } from "./failpoints.ts";
import { removeFileSystems } from "./file-system-removal.ts";
import { measureFileSystems } from "./file-system-usage.ts";
import { takeScheduledJob } from "./job-store.ts";
import { type Log, reason } from "./log.ts";
import { startMaintenance } from "./maintenance/maintenance.ts";
import { Missing } from "./missing.ts";
import { ObservationQueue } from "./observation-queue.ts";
import { tellOfStrangers } from "./outage.ts";
import { periodically } from "./periodic.ts";
import { LeaseReleaseQueue } from "./release-queue.ts";
import { ResyncJob } from "./resync-job.ts";
import { type ReconcilerSettings, withDefaults } from "./settings.ts";
import { timedEngine } from "./timed-engine.ts";
import { Worker } from "./worker.ts";

export interface ReconcilerDependencies {
  readonly db: Database;
  /** For a connection of its own, for LISTEN. */
  readonly databaseUrl: string;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly keyRing: KeyRing;
  readonly settings: ReconcilerSettings;
  readonly log: Log;
  /** Runs every step (failpoints.ts). Default: directly. */
  readonly gate?: FailpointRunner;
  /** Counts reconciliations and engine calls. Default: nothing. */
  readonly metrics?: Metrics;
}

export interface Reconciler {
  /** Drains: lets steps in progress end, aborts slow ones, and releases all leases. */
  stop(): Promise<void>;
  /** There might be work: a hint from this process, cheaper than a notification. */
  poke(): void;
  /** Resolves when nothing is due and nothing runs. For tests. */
  idle(): Promise<void>;
  /** Syncs hosts and runs a full resync of all engines now, regardless of the schedule. Throws what an engine throws. */
  sweepNow(): Promise<void>;
}

/** Starts at once. Without a database or an engine it does not fail but retries. */
export function startReconciler(parts: ReconcilerDependencies): Reconciler {
  const { db, keyRing, log, gate = noFailpoints, metrics = new Metrics() } = parts;
  const settings = withDefaults(parts.settings);
  const memories = { missing: new Missing(), halted: new Missing() };
  const queues = { facts: new ObservationQueue(db), releases: new LeaseReleaseQueue(db, settings) };
  const served = [...parts.engines.values()].map((bare) => {
    const timed = timedEngine(bare, metrics);
    const worlds = new EngineIdentities(db, timed, log);
    const engine = guarded(timed, worlds);
    // One worker per engine, so that an unresponsive engine does not delay the others.
    const engines = new Map([[engine.name, engine]]);
    const worker = new Worker({ db, engines, keyRing, settings, log, gate, metrics, ...queues, ...memories });
    return { engine, worlds, worker };
  });
  const engines = served.map(({ engine }) => engine);
  const workers = served.map(({ worker }) => worker);
  const underWay = () => workers.reduce((sum, worker) => sum + worker.underWay, 0);
  metrics.onScrape(() => metrics.set("lessor_reconciler_turns_under_way", {}, underWay()));
  const pokeWorkers = () => {
    for (const worker of workers) worker.poke();
  };

  for (const worker of workers) worker.start();
  const told = tellOfStrangers(
    db,
    engines.map(({ name }) => name),
    log,
  ).catch((error: unknown) => {
    log.warn({ error: reason(error) }, "cannot query hosts of unconfigured engines");
  });
  const removals = engines.map((engine) => {
    const remove = (signal: AbortSignal) => removeFileSystems(db, engine, settings, log, signal);
    // No rest after a long run: the engine was slow, and only due removals are read.
    return periodically(`removing file systems of ${engine.name}`, settings.removalSeconds, log, remove, 0);
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
    const sweeping = new ResyncJob({ db, engine, worlds, settings, log, onWork: () => worker.poke() });
    const unwatch = engine.watch(
      (id) => worker.hint(id),
      () => sweeping.missedSomething(),
    );
    return { sweeping, unwatch };
  });
  const measurements = engines.map((engine) => {
    const name = `measuring file systems of ${engine.name}`;
    return periodically(name, settings.measureSeconds, log, async (signal) => {
      if (await takeScheduledJob(db, name, settings.measureSeconds)) {
        await measureFileSystems(db, engine, settings, log, signal);
      }
    });
  });
  const chores = startMaintenance({ db, settings, log });

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
