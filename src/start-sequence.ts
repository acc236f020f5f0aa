// Starts the service in order, once its database is there: migrations, composition, keys, ports, the reconciler, the
// first start, and the banner. Loaded by server.ts during the database's start.
//
// Invariant: each part registers its stop as soon as it has started, and each stop may rely on parts started before it.

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { compose, type Overrides, type Startup } from "./composition.ts";
import type { InterfaceName } from "./config/interfaces.ts";
import type { Config } from "./config.ts";
import { mendClock } from "./database/logical-clock.ts";
import { migrate } from "./database/migrate.ts";
import { ConfigError } from "./settings/error.ts";
import {
  catalogText,
  endText,
  launchText,
  linkText,
  metricsText,
  placesText,
  signInText,
  tokensText,
} from "./startup/banner.ts";
import type { StartupResources } from "./startup/databases.ts";
import { demoAddress, type FirstTokens, firstStart } from "./startup/first-start.ts";
import { portProblem, unreachable } from "./startup/problems.ts";

/** Shows text to a person. Resolves when it is written, rejects if it cannot be. */
export type Print = (text: string) => Promise<void>;

export interface StartOptions {
  readonly config: Config;
  readonly log: Logger;
  readonly print: Print;
  readonly resources: StartupResources;
  /** Collects the stop of each part. */
  readonly stops: AsyncDisposableStack;
  readonly overrides: Overrides;
}

/**
 * Returns the URL of each interface, with its prefix; undefined if it is disabled. Throws startup errors; what was
 * started by then is in `stops`.
 */
export async function startService(options: StartOptions): Promise<(name: InterfaceName) => string | undefined> {
  const { config, log, print, resources, stops } = options;
  let consoleUrl = "";
  const showLink = (link: string) => void print(linkText(link)).catch(() => {});
  const demoLinks = isDemo(config) ? { consoleUrl: () => consoleUrl, show: showLink } : undefined;
  const startup: Startup = { config, log, ...resources, demoLinks };
  await prepareDatabase(startup);
  const composed = await compose(startup, options.overrides);
  stops.defer(() => composed.close());
  const { db, encryption, http, metrics, readiness, service } = composed;
  metrics.addProcess();
  await encryption.start().catch((error: unknown) => {
    resources.discardNewKey();
    throw error;
  });
  const addresses = await http.listen().catch((error: unknown) => {
    throw portProblem(error, config);
  });
  consoleUrl = addresses.get(mountOf(config, "control")?.listener.name ?? "") ?? "";
  const addressOf = (name: InterfaceName) => addressIn(config, addresses, name);
  composed.startReconciler();

  let shown: FirstTokens = { operator: undefined, customer: undefined };
  await firstStart(db, startSettings(config), async (tokens) => {
    const operator = tokens.operator ?? config.operatorToken;
    if (config.demo) await quietly(log, () => loadDemo(config, addressOf("control"), operator));
    // If they could not be shown, the next start is a first start again.
    await print(tokensText(tokens));
    shown = tokens;
  });
  readiness.state = "ready";
  // Otherwise the first launch would read all hosts, and wait for seconds where there are 100,000. If this fails, it does.
  void service.capacity.refresh().catch(() => {});
  // Started last, so stopped first: load balancers learn of the stop before anything is rejected.
  stops.defer(async () => {
    readiness.state = "stopping";
    await sleep(config.drainDelaySeconds * 1000);
  });
  // The person who started it may have left by now.
  const tell = (text: string) => print(text).catch(() => {});
  await tell(placesText(config.listeners, addresses));
  if (demoLinks !== undefined) await tell(signInText(demoAddress));
  const metricsUrl = addresses.get("metrics");
  if (metricsUrl !== undefined) await tell(metricsText(metricsUrl));
  const hasHardware = config.engines.some(({ kind }) => kind !== "simulated");
  await tell(
    config.demo ? launchText(addressOf("marketplace"), shown.customer) : catalogText(addressOf("control"), hasHardware),
  );
  await tell(endText(resources.dataDirectory));
  return addressOf;
}

/** Nothing real can be rented, so a link in the output gives no one access to more than a demo. */
function isDemo({ demo, email, engines }: Config): boolean {
  return demo && email === undefined && engines.every(({ kind }) => kind === "simulated");
}

async function prepareDatabase({ config, log, databaseUrl: url }: Startup): Promise<void> {
  const applied = await migrate({ url }).catch((error: unknown) => {
    throw config.databaseUrl === undefined ? error : unreachable(error);
  });
  if (applied.length > 0) log.info({ migrations: applied }, "migrated");
  if (await mendClock({ url })) log.warn("database comes from another cluster; event order continues");
}

/** The demo's forty hosts are not worth log lines. */
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

/** Demo data is loaded like any catalog: with `lessor apply`, over HTTP. */
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
