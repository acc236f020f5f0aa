// Composes the service on its ground: migrations → connections → engines → http → the reconciler → first start. Loaded by
// server.ts, beside the database's start. Invariant: how to stop what was started is told the moment it was started, and
// each stop may rely on what was started before it.

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { type Config, ConfigError, type InterfaceName } from "./config.ts";
import { connect, type Database } from "./database/connect.ts";
import { mendClock } from "./database/logical-clock.ts";
import { migrate } from "./database/migrate.ts";
import { Storage, writeProbe } from "./database/storage.ts";
import { Encryption } from "./encryption/index.ts";
import type { Engine } from "./engines/engine.ts";
import { openEngine } from "./engines/kinds.ts";
import type { Readiness } from "./http/edge/health.ts";
import { createHttp } from "./http/server.ts";
import type { Logger } from "./log.ts";
import { Metrics } from "./metrics/index.ts";
import { type FailpointRunner, startReconciler } from "./reconciler/index.ts";
import { CapacityCache } from "./rental/capacity/cache.ts";
import type { HostRegistries } from "./rental/capacity/host-registry.ts";
import { InsufficientCapacity } from "./rental/capacity/insufficient-capacity.ts";
import type { Service } from "./rental/service.ts";
import { catalogText, endText, launchText, metricsText, placesText, tokensText } from "./startup/banner.ts";
import type { StartupResources } from "./startup/databases.ts";
import { type FirstTokens, firstStart } from "./startup/first-start.ts";
import { installationOf } from "./startup/installation.ts";
import { portProblem, unreachable } from "./startup/problems.ts";
import { ownVersion } from "./startup/version.ts";

const httpDrainSeconds = 4;
const httpIdleGraceSeconds = 0.5;
const reconcilerDrainSeconds = 2;

/** Shows a person something. Resolves when it is written, rejects where it cannot be. */
export type Print = (text: string) => Promise<void>;

export interface CompositionOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly print: Print;
  readonly ground: StartupResources;
  readonly gate: FailpointRunner | undefined;
  /** Gets what stops each part, to be done in the opposite order. */
  readonly stops: (() => Promise<void>)[];
}

/**
 * Gives where an interface is, with its prefix; undefined where it is switched off. Throws what keeps the service from
 * starting; what was started by then is in `stops`.
 */
export async function compose(options: CompositionOptions): Promise<(name: InterfaceName) => string | undefined> {
  const { config, log, print, ground, gate, stops } = options;
  const applied = await migrate({ url: ground.databaseUrl }).catch((error: unknown) => {
    throw config.databaseUrl === undefined ? error : unreachable(error);
  });
  if (applied.length > 0) log.info({ migrations: applied }, "migrated");
  if (await mendClock({ url: ground.databaseUrl }))
    log.warn("database comes from another cluster; event order continues");

  let ending = false;
  // That connections go when we end them is no news.
  const opened = {
    url: ground.databaseUrl,
    log: (line: string) => ending || log.warn(line),
    onDiskFull: () => storage.note(),
  };
  const db = connect(opened);
  const storage = new Storage({
    probe: () => writeProbe(db),
    reserve: ground.reserve,
    log: (line) => log.warn(line),
  });
  stops.push(async () => storage.stop());
  // Few, so that a burst of launches leaves requests their share of the machine. What is recorded together needs one or
  // two for each kind of record at most, so there is always one to look for what is due, and to renew leases.
  const workDb = connect({ ...opened, maxConnections: 5, findsByIndex: true });
  const lookUpDb = connect({
    url: ground.databaseUrl,
    maxConnections: 2,
    plansOnce: true,
    // A plan of the time when nothing had changed yet would read all marks of changes, for each token, until autovacuum
    // looks: 8 ms for each look-up after 3,000 launches.
    findsByIndex: true,
    answersWithinMs: 5000,
  });
  stops.push(async () => {
    ending = true;
    await Promise.all([db, workDb, lookUpDb].map((one) => one.destroy()));
  });
  const { keyRing, keyFile } = ground;
  const alone = config.databaseUrl === undefined;
  const encryption = new Encryption({ db, keyRing, keyFile, log, version: ownVersion(), alone });
  stops.push(() => encryption.stop());
  await encryption.start().catch((error: unknown) => {
    ground.discardNewKey();
    throw error;
  });

  const engines = await openEngines(config, workDb);
  stops.push(async () => {
    await Promise.all([...engines.values()].map((engine) => engine.close()));
  });

  const service: Service = {
    keyRing: ground.keyRing,
    limits: { ...config.limits, limitCheckSeconds: config.reconciler.limitCheckSeconds },
    capacity: new CapacityCache(db),
    noRoom: new InsufficientCapacity(db, (report) => log.info(report, "insufficient capacity")),
    webhooks: config.webhooks,
    enginesWithoutFirewall: () =>
      new Set([...engines.values()].filter((one) => one.firewalls === undefined).map(({ name }) => name)),
  };
  const readiness: { state: Readiness["state"] } = { state: "starting" };
  const hostRegistries = hostRegistriesOf(engines);
  const metrics = new Metrics();
  metrics.addProcess();
  const drain = { drainSeconds: httpDrainSeconds, idleGraceSeconds: httpIdleGraceSeconds };
  const { databaseUrl } = ground;
  const parts = {
    config,
    db,
    lookUpDb,
    databaseUrl,
    service,
    log,
    readiness,
    hostRegistries,
    engines,
    encryption,
    metrics,
    storage,
    ...drain,
  };
  const http = await createHttp({ ...parts, version: ownVersion() });
  const addresses = await http.listen().catch((error: unknown) => {
    throw portProblem(error, config);
  });
  const addressOf = (name: InterfaceName) => addressIn(config, addresses, name);

  const reconciler = await startReconciler({
    db: workDb,
    databaseUrl: ground.databaseUrl,
    engines,
    keyRing: ground.keyRing,
    settings: {
      ...config.reconciler,
      auditDays: config.limits.auditDays,
      eventDays: config.limits.eventDays,
      terminatedReadableDays: config.limits.terminatedReadableDays,
      deliveries: config.webhooks,
      drainSeconds: reconcilerDrainSeconds,
    },
    log,
    metrics,
    ...(gate !== undefined && { gate }),
  });
  stops.push(() => reconciler.stop());
  // Stopped first, so that what was acknowledged last is still seen by the reconciler.
  stops.push(() => http.close());

  let shown: FirstTokens = { operator: undefined, customer: undefined };
  await firstStart(db, startSettings(config), async (tokens) => {
    const operator = tokens.operator ?? config.operatorToken;
    if (config.demo) await quietly(log, () => loadDemo(config, addressOf("control"), operator));
    // Where nobody could see them, the next start is a first start again.
    await print(tokensText(tokens));
    shown = tokens;
  });
  readiness.state = "ready";
  // Last of all things started, so the first to be done at the end: load balancers learn it before anything is refused.
  stops.push(async () => {
    readiness.state = "stopping";
    await sleep(config.drainDelaySeconds * 1000);
  });
  // Whoever started it may have gone by now.
  const tell = (text: string) => print(text).catch(() => {});
  await tell(placesText(config.listeners, addresses));
  const metricsUrl = addresses.get("metrics");
  if (metricsUrl !== undefined) await tell(metricsText(metricsUrl));
  await tell(
    config.demo
      ? launchText(addressOf("marketplace"), shown.customer)
      : catalogText(
          addressOf("control"),
          config.engines.some(({ kind }) => kind !== "simulated"),
        ),
  );
  await tell(endText(ground.dataDirectory));
  return addressOf;
}

/** By name. */
async function openEngines(config: Config, db: Database): Promise<ReadonlyMap<string, Engine>> {
  const installation = await installationOf(db);
  const engines = await Promise.all(config.engines.map((one) => openEngine(one, { db, installation })));
  return new Map(engines.map((engine) => [engine.name, engine]));
}

function hostRegistriesOf(engines: ReadonlyMap<string, Engine>): HostRegistries {
  return new Map([...engines].flatMap(([name, { hostRegistry }]) => (hostRegistry ? [[name, hostRegistry]] : [])));
}

/** The demo's forty hosts are no news for the log. */
async function quietly(log: Logger, work: () => Promise<void>): Promise<void> {
  const { level } = log;
  if (log.isLevelEnabled("warn")) log.level = "warn";
  try {
    await work();
  } finally {
    log.level = level;
  }
}

function startSettings(config: Config) {
  const { instances, gpus, vcpus, sshKeys, fileSystems } = config.defaults.quotas;
  return {
    demo: config.demo,
    operatorToken: config.operatorToken,
    quotas: { instances, gpus, vcpus, ssh_keys: sshKeys, file_systems: fileSystems },
  };
}

/** The demo world comes in by the door of every catalogue: `lessor apply`, over HTTP. */
async function loadDemo(config: Config, control: string | undefined, token: string | undefined): Promise<void> {
  if (control === undefined || token === undefined) {
    throw new ConfigError("The demo is loaded through the control interface: enable it, or set LESSOR_DEMO=0.");
  }
  // Only a first start needs them.
  const [{ applyCatalog }, { controlClient }] = await Promise.all([
    import("./cli/apply.ts"),
    import("./cli/connection/control-client.ts"),
  ]);
  const yaml = await readFile(new URL("../examples/demo-catalog.yaml", import.meta.url), "utf8");
  await applyCatalog(yaml, controlClient(control, token, mountOf(config, "control")?.mount.hostName));
}

function addressIn(config: Config, addresses: ReadonlyMap<string, string>, name: InterfaceName): string | undefined {
  const found = mountOf(config, name);
  return found === undefined ? undefined : `${addresses.get(found.listener.name) ?? ""}${found.mount.prefix}`;
}

function mountOf(config: Config, name: InterfaceName) {
  for (const listener of config.listeners) {
    const mount = listener.mounts.find((one) => one.interface === name);
    if (mount !== undefined) return { listener, mount };
  }
  return undefined;
}
