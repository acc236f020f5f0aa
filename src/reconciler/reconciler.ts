// The reconciler: makes machines match the desired state. server.ts starts it with every configured engine; any number
// of replicas can run it on the same database.
//
// It is level-triggered: an instance's row holds the desired state, and a worker takes the missing steps (worker.ts,
// step.ts, reconcile.ts). NOTIFY after a commit, engine hints and the full resync only make it react sooner. Also here:
// NVSwitch partitions, resets and validations of GPUs (gpu-partitions.ts, gpu-resets.ts, gpu-validations.ts), removal of
// deleted file systems (file-system-removal.ts), measuring of the others (file-system-usage.ts), waiting launches and evictions
// (evicting.ts, guest-notices.ts), webhook deliveries (deliveries/), emails (emails/), payments (payments/), and people whose providers confirm them (confirmations.ts).

import type { Database } from "../database/connect.ts";
import { listen } from "../database/listen.ts";
import type { Engine } from "../engines/engine.ts";
import type { GpuHelperOf } from "../gpus/helper.ts";
import { Metrics } from "../metrics/metrics.ts";
import type { Payments } from "../payments/driver.ts";
import type { CapacityCache } from "../rental/capacity/cache.ts";
import { type Work, workChannel } from "../rental/instances/wake.ts";
import type { Confirmations } from "../rental/people/confirmations.ts";
import type { Evictor } from "../rental/spot/evictor.ts";
import type { Placer } from "../rental/waiting/placer.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import { startConfirmations } from "./confirmations.ts";
import { startDeliveries } from "./deliveries/deliveries.ts";
import { startEmails } from "./emails/emails.ts";
import { EngineIdentities, guarded } from "./engine-identities.ts";
import { startEvicting } from "./evicting.ts";
import { type FailpointRunner, noFailpoints } from "./failpoints.ts";
import { removeFileSystems } from "./file-system-removal.ts";
import { measureFileSystems } from "./file-system-usage.ts";
import { GpuPartitions } from "./gpu-partitions.ts";
import { GpuResets } from "./gpu-resets.ts";
import { GpuValidations } from "./gpu-validations.ts";
import { Collector } from "./guest-metrics/collector.ts";
import { GuestNotices } from "./guest-notices.ts";
import { takeScheduledJob } from "./job-store.ts";
import { type Log, reason } from "./log.ts";
import { startInvoicing } from "./maintenance/invoicing.ts";
import { startMaintenance } from "./maintenance/maintenance.ts";
import { Missing } from "./missing.ts";
import { ObservationQueue } from "./observation-queue.ts";
import { tellOfStrangers } from "./outage.ts";
import { startPayments } from "./payments/payments.ts";
import { afterStart, periodically } from "./periodic.ts";
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
  /** The GPU helpers of hosts whose engine has none itself. Default: none. */
  readonly gpuHelperOf?: GpuHelperOf;
  /** Places waiting launches. Default: none waits. */
  readonly placer?: Placer;
  /** What is free, for capacity notices. Default: none is given. */
  readonly capacity?: CapacityCache;
  /** Evicts spot instances. Default: none is evicted. */
  readonly evictor?: Evictor;
  /** Default: no payments are taken. */
  readonly payments?: Payments | undefined;
  /** Default: no provider is configured. */
  readonly confirmations?: Confirmations | undefined;
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
  /** Reads the guests of all engines once, regardless of the schedule. Throws what the database does. */
  readGuestsNow(): Promise<void>;
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
    return periodically(`removing file systems of ${engine.name}`, settings.removalSeconds, log, remove, { rest: 0 });
  });
  const beginning = (name: string, running: GpuPartitions | GpuResets | GpuValidations | GuestNotices) => {
    const { poke, stop } = periodically(name, settings.pollSeconds, log, (signal) => running.begin(signal));
    return { poke, stop: () => stop().then(() => running.ended()), ended: () => running.ended() };
  };
  const helperOf = parts.gpuHelperOf ?? (() => undefined);
  const partitions = engines.map((engine) => {
    const running = new GpuPartitions({ db, engine, helperOf, settings, log, gate });
    return beginning(`working on partitions of ${engine.name}`, running);
  });
  const resets = engines.map((engine) => {
    const running = new GpuResets({ db, engine, helperOf, settings, log, gate });
    return beginning(`resetting GPUs of ${engine.name}`, running);
  });
  const validations = engines.map((engine) =>
    beginning(`validating GPUs of ${engine.name}`, new GpuValidations({ db, engine, settings, log, gate })),
  );
  const notices = engines.map((engine) =>
    beginning(`telling guests of ${engine.name} of evictions`, new GuestNotices({ db, engine, log, gate })),
  );
  const pokeNotices = () => Promise.all(notices.map((one) => one.poke()));
  const pokeGpus = () => Promise.all([...partitions, ...resets, ...validations].map((one) => one.poke()));
  const pokeRemovals = () => Promise.all(removals.map((one) => one.poke()));
  const { leaseSeconds } = settings;
  const deliveries = startDeliveries({
    db,
    keyRing,
    log,
    settings: { leaseSeconds, ...settings.deliveries },
  });
  const emails = startEmails({ db, settings: settings.email, times: settings.emailTimes, keyRing, log, gate });
  const payments =
    parts.payments && startPayments({ db, payments: parts.payments, seconds: settings.paymentSeconds, log });
  const { placer, evictor, confirmations } = parts;
  const confirming =
    confirmations &&
    startConfirmations({ db, confirmations, seconds: settings.confirmationSeconds, keyRing, log, gate });
  const place = (signal: AbortSignal) => placer?.run(signal, gate) ?? Promise.resolve();
  const placing = placer && periodically("placing waiting launches", settings.pollSeconds, log, place, { rest: 0 });
  const evicting = evictor && startEvicting(evictor, settings.pollSeconds, log, gate);
  const pokeAll = () => {
    void placing?.poke();
    evicting?.soon();
    void pokeNotices();
    pokeWorkers();
    deliveries.poke();
    void emails.poke();
    void payments?.poke();
    void pokeRemovals();
    void pokeGpus();
  };
  const listener = listen(
    { url: parts.databaseUrl },
    workChannel,
    (work) => {
      if (work === ("file systems" satisfies Work)) void pokeRemovals();
      else if (work === ("gpus" satisfies Work)) void pokeGpus();
      else if (work === ("launches" satisfies Work)) {
        void placing?.poke();
        evicting?.soon();
      } else if (work === ("evictions" satisfies Work)) {
        evicting?.soon();
        void pokeNotices();
      } else if (work === ("emails" satisfies Work)) void emails.poke();
      else if (work === ("payments" satisfies Work)) void payments?.poke();
      else if (work === ("events" satisfies Work) || work === ("webhooks" satisfies Work)) deliveries.poke();
      else pokeWorkers();
    },
    pokeAll,
  );
  const sweepings = served.map(({ engine, worlds, worker }) => {
    const sweeping = new ResyncJob({ db, engine, worlds, settings, log, onWork: () => worker.poke() });
    const unwatch = engine.watch(
      (id) => worker.hint(id),
      (host) => sweeping.missedSomething(host),
    );
    return { sweeping, unwatch };
  });
  const measurements = engines.map((engine) => {
    const name = `measuring file systems of ${engine.name}`;
    const measure = async (signal: AbortSignal) => {
      if (await takeScheduledJob(db, name, settings.measureSeconds)) {
        await measureFileSystems(db, engine, settings, log, signal);
      }
    };
    const firstAfter = afterStart(settings.measureSeconds, settings.firstJobsSeconds);
    return periodically(name, settings.measureSeconds, log, measure, { firstAfter });
  });
  const collectors = engines.map((engine) => new Collector({ db, engine, settings, log, metrics }));
  const chores = startMaintenance({ db, settings, log, engines: parts.engines, capacity: parts.capacity });
  const invoicing = startInvoicing(db, settings, log);

  return {
    stop: async () => {
      for (const { unwatch } of sweepings) unwatch();
      const duties = [
        ...chores,
        invoicing,
        ...(placing === undefined ? [] : [placing]),
        ...(evicting === undefined ? [] : [evicting]),
        ...(payments === undefined ? [] : [payments]),
        ...(confirming === undefined ? [] : [confirming]),
        ...notices,
        ...removals,
        ...partitions,
        ...resets,
        ...validations,
        emails,
        ...measurements,
        ...collectors,
        ...sweepings.map(({ sweeping }) => sweeping),
      ];
      const all = [...workers, deliveries, ...duties].map((one) => one.stop());
      await Promise.all([told, listener.close(), ...all]);
    },
    poke: pokeAll,
    idle: async () => {
      const ended = async (some: typeof resets) => {
        await Promise.all(some.map((one) => one.poke()));
        await Promise.all(some.map((one) => one.ended()));
      };
      const workersIdle = () => Promise.all(workers.map((worker) => worker.idle()));
      await workersIdle();
      // What was started waits for its partition.
      await ended(partitions);
      await workersIdle();
      await pokeRemovals();
      // What was reset can be to validate, and then has another partition.
      for (const some of [resets, validations, partitions]) await ended(some);
      await placing?.poke();
      await evicting?.poke();
      await ended(notices);
      await payments?.poke();
      await confirming?.poke();
      await emails.poke();
    },
    sweepNow: async () => {
      const { signal } = new AbortController();
      await Promise.all(sweepings.map(({ sweeping }) => sweeping.now(signal)));
    },
    readGuestsNow: async () => {
      await Promise.all(collectors.map((collector) => collector.now()));
    },
  };
}
