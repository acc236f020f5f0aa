// Composes the service from its parts: connections, encryption, engines, the rental, HTTP and the reconciler. They meet
// only here. start-sequence.ts starts them in order; tests compose the same service with overrides.
//
// Invariant: nothing is started here, and `close` ends only what was created here: the caller closes its overrides.

import type { Logger } from "pino";
import type { Config } from "./config.ts";
import { connect, type Database } from "./database/connect.ts";
import { Storage, writeProbe } from "./database/storage.ts";
import { Encryption } from "./encryption/encryption.ts";
import type { Engine } from "./engines/engine.ts";
import { openEngine } from "./engines/kinds.ts";
import { createFencing } from "./fencing/fence.ts";
import { createGpuHelper } from "./gpus/create-gpu-helper.ts";
import type { GpuHelperOf } from "./gpus/helper.ts";
import type { DemoLinks } from "./http/api/context.ts";
import { createConfirmations } from "./http/console/providers.ts";
import type { Readiness } from "./http/edge/health.ts";
import { inWords } from "./http/errors/response.ts";
import { createHttp, type Http, type HttpParts } from "./http/server.ts";
import { Metrics } from "./metrics/metrics.ts";
import type { Payments } from "./payments/driver.ts";
import { openPayments } from "./payments/open-payments.ts";
import type { FailpointRunner } from "./reconciler/failpoints.ts";
import { type Reconciler, startReconciler } from "./reconciler/reconciler.ts";
import type { ReconcilerSettings } from "./reconciler/settings.ts";
import { CapacityCache } from "./rental/capacity/cache.ts";
import type { HostRegistries } from "./rental/capacity/host-registry.ts";
import { InsufficientCapacity } from "./rental/capacity/insufficient-capacity.ts";
import type { Service } from "./rental/service.ts";
import { Evictor } from "./rental/spot/evictor.ts";
import { Placer } from "./rental/waiting/placer.ts";
import type { StartupResources } from "./startup/databases.ts";
import { installationOf } from "./startup/installation.ts";
import { ownVersion } from "./startup/version.ts";

const httpDrainSeconds = 4;
const httpIdleGraceSeconds = 0.5;
const reconcilerDrainSeconds = 2;

/** What the service is composed on. The database is migrated. */
export interface Startup extends Pick<StartupResources, "databaseUrl" | "keyRing" | "keyFile" | "reserve"> {
  readonly config: Config;
  readonly log: Logger;
  /** The demo shows sign-in links instead of sending them. */
  readonly demoLinks?: DemoLinks | undefined;
}

/** Overrides for tests. */
export interface Overrides {
  /** For everything, instead of the service's own connections. */
  readonly db?: Database;
  /** Instead of those of the configuration. */
  readonly engines?: readonly Engine[];
  readonly gpuHelper?: GpuHelperOf;
  readonly service?: Service;
  readonly http?: Partial<HttpParts>;
  readonly reconciler?: Partial<ReconcilerSettings>;
  /** What every step of the reconciler passes through. */
  readonly failpoints?: FailpointRunner;
}

export interface Composed {
  readonly db: Database;
  readonly service: Service;
  readonly engines: ReadonlyMap<string, Engine>;
  readonly gpuHelper: GpuHelperOf;
  /** Undefined: none are configured. */
  readonly payments: Payments | undefined;
  readonly metrics: Metrics;
  /** Has not joined the other replicas yet. */
  readonly encryption: Encryption;
  /** Does not listen yet. */
  readonly http: Http;
  /** The result of GET /readyz; set later. */
  readonly readiness: { state: Readiness["state"] };
  /** Call once. */
  startReconciler(): Reconciler;
  /** Requests end first, so that the reconciler still sees the last acknowledged ones; connections last. */
  close(): Promise<void>;
}

/** Throws what opening an engine or a query throws; then everything is closed. */
export async function compose(startup: Startup, overrides: Overrides = {}): Promise<Composed> {
  const { config, log, databaseUrl, keyRing, keyFile } = startup;
  await using opened = new AsyncDisposableStack(); // closed again if a later step throws
  const databases = openDatabases(startup, overrides.db);
  opened.defer(databases.close);
  const { db, workDb, lookUpDb, storage } = databases;
  const alone = config.databaseUrl === undefined;
  const encryption = new Encryption({ db, keyRing, keyFile, log, version: ownVersion(), alone });
  opened.defer(() => encryption.stop());
  const engines = byName(overrides.engines ?? (await openEngines(config, workDb, opened)));
  const gpuHelper = overrides.gpuHelper ?? createGpuHelper(config.gpus.helpers);
  const service = overrides.service ?? serviceOf(startup, db, engines);
  const payments = await openPayments(config.payments, db, overrides.failpoints);
  const readiness: Composed["readiness"] = { state: "starting" };
  const metrics = new Metrics();
  let reconciler: Reconciler | undefined;
  opened.defer(() => reconciler?.stop());
  const http = await createHttp({
    ...{ config, db, lookUpDb, databaseUrl, service, log, readiness, engines, encryption, metrics, storage, payments },
    hostRegistries: hostRegistriesOf(engines),
    demoLinks: startup.demoLinks,
    fencing: createFencing(config.fencing),
    simulator: [...engines.values()].find((engine) => engine.simulator !== undefined)?.simulator,
    version: ownVersion(),
    drainSeconds: httpDrainSeconds,
    idleGraceSeconds: httpIdleGraceSeconds,
    ...overrides.http,
  });
  opened.defer(() => http.close());
  const all = opened.move();
  return {
    ...{ db, service, engines, gpuHelper, payments, metrics, encryption, http, readiness },
    startReconciler: () => {
      if (reconciler !== undefined) throw new Error("BUG: the reconciler is started twice");
      const settings = { ...reconcilerSettings(config), ...overrides.reconciler };
      const gate = overrides.failpoints === undefined ? {} : { gate: overrides.failpoints };
      const placer = new Placer(workDb, service, inWords);
      const evictor = new Evictor(workDb, service, inWords, ({ noticed, withdrawn, ended }) => {
        const outcomes = { noticed, withdrawn, preempted: ended };
        for (const [outcome, count] of Object.entries(outcomes)) {
          if (count > 0) metrics.count("lessor_spot_evictions_total", { outcome }, count);
        }
      });
      const parts = {
        db: workDb,
        databaseUrl,
        engines,
        keyRing,
        gpuHelperOf: gpuHelper,
        placer,
        capacity: service.capacity,
        evictor,
        payments,
        confirmations: createConfirmations(config.signIn),
        settings,
        log,
        metrics,
      };
      reconciler = startReconciler({ ...parts, ...gate });
      return reconciler;
    },
    close: () => all.disposeAsync(),
  };
}

/** The connections, and the disk status of their database. `given`: one for all, which is not closed. */
function openDatabases({ databaseUrl: url, reserve, log }: Startup, given: Database | undefined) {
  let ending = false;
  const opened = {
    url,
    // Ending our own connections is not worth a log line.
    log: (line: string) => ending || log.warn(line),
    onDiskFull: () => storage.note(),
  };
  const db = given ?? connect(opened);
  const storage = new Storage({ probe: () => writeProbe(db), reserve, log: (line) => log.warn(line) });
  if (given !== undefined) return { db, workDb: db, lookUpDb: db, storage, close: async () => storage.stop() };
  // Few, so that a burst of launches leaves requests their share of the CPU. Recording observations needs one or two
  // for each kind at most, so there is always one to find due work and to renew leases.
  const workDb = connect({ ...opened, maxConnections: 5, findsByIndex: true });
  const lookUpDb = connect({
    url,
    maxConnections: 2,
    plansOnce: true,
    // A plan made before anything had changed would read all change stamps, for each token, until autovacuum runs: 8 ms
    // for each look-up after 3,000 launches.
    findsByIndex: true,
    answersWithinMs: 5000,
  });
  const close = async () => {
    ending = true;
    await Promise.all([db, workDb, lookUpDb].map((one) => one.destroy()));
    storage.stop();
  };
  return { db, workDb, lookUpDb, storage, close };
}

async function openEngines(config: Config, db: Database, opened: AsyncDisposableStack): Promise<readonly Engine[]> {
  const installation = await installationOf(db);
  const engines: Engine[] = [];
  opened.defer(async () => {
    await Promise.all(engines.map((engine) => engine.close()));
  });
  for (const one of config.engines) engines.push(await openEngine(one, { db, installation }));
  return engines;
}

function byName(engines: readonly Engine[]): ReadonlyMap<string, Engine> {
  return new Map(engines.map((engine) => [engine.name, engine]));
}

function hostRegistriesOf(engines: ReadonlyMap<string, Engine>): HostRegistries {
  return new Map([...engines].flatMap(([name, { hostRegistry }]) => (hostRegistry ? [[name, hostRegistry]] : [])));
}

function serviceOf({ config, keyRing, log }: Startup, db: Database, engines: ReadonlyMap<string, Engine>): Service {
  const { limitCheckSeconds: limitSeconds, bootDeadlineSeconds: bootSeconds } = config.reconciler;
  return {
    keyRing,
    limits: { ...config.limits, limitCheckSeconds: limitSeconds, bootSeconds, balance: config.balance },
    reservations: config.reservations,
    capacity: new CapacityCache(db),
    noRoom: new InsufficientCapacity(db, (report) => log.info(report, "insufficient capacity")),
    faultReports: config.gpus.faultReports,
    webhooks: config.webhooks,
    enginesThatMove: () =>
      new Set([...engines.values()].filter((one) => one.mover !== undefined).map(({ name }) => name)),
    enginesOfOneCopy: () =>
      new Set([...engines.values()].filter((one) => one.mover?.keepsSource === false).map(({ name }) => name)),
    enginesWithoutFirewall: () =>
      new Set([...engines.values()].filter((one) => one.firewalls === undefined).map(({ name }) => name)),
  };
}

function reconcilerSettings({
  reconciler,
  limits,
  balance,
  reservations,
  webhooks,
  email,
  invoices,
}: Config): ReconcilerSettings {
  const { auditDays, eventDays, terminatedReadableDays } = limits;
  return {
    ...reconciler,
    ...{ auditDays, eventDays, terminatedReadableDays, balance, reservations },
    deliveries: webhooks,
    ...{ email, invoices },
    drainSeconds: reconcilerDrainSeconds,
  };
}
