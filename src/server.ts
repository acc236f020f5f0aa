// Composes the service: ground (data directory, database, keys) → migrations → engines → http → first start →
// fulfilment, and stops it in the opposite order: requests under way finish first, the database goes last.
// Used by main.ts. Invariant: whatever was started is stopped, also when a later step fails.

import { readFile } from "node:fs/promises";
import { applyCatalog } from "./cli/apply.ts";
import { controlClient } from "./cli/control-client.ts";
import { type Config, ConfigError, type InterfaceName } from "./config.ts";
import { connect } from "./database/connect.ts";
import { migrate } from "./database/migrate.ts";
import type { Engine } from "./engines/engine.ts";
import { createSimulatedEngine, simulatedHostWorld } from "./engines/simulated/index.ts";
import { startFulfilment } from "./fulfilment/index.ts";
import { createHttp } from "./http/server.ts";
import { createLog, type Logger } from "./log.ts";
import { CapacityMirror } from "./rental/capacity/mirror.ts";
import { NoRoom } from "./rental/capacity/no-room.ts";
import type { Service } from "./rental/service.ts";
import { launchText, placesText, tokensText } from "./startup/banner.ts";
import { prepareGround } from "./startup/databases.ts";
import { type FirstTokens, firstStart } from "./startup/first-start.ts";
import { checkKey } from "./startup/key-check.ts";

export interface Running {
  /** Where an interface is, with its prefix; undefined where it is switched off. */
  addressOf(name: InterfaceName): string | undefined;
  /** Drains and stops everything. */
  stop(): Promise<void>;
}

/** A person who pressed Ctrl-C waits no longer than this, whatever hangs. */
const stopDeadlineMs = 9_500;

/** Runs the service until SIGINT or SIGTERM, then drains it. Throws what keeps it from starting, for the person at the door. */
export async function serve(config: Config, print: (line: string) => void): Promise<void> {
  const log = createLog(config.logLevel);
  // From now on a signal is a wish, also one that comes while starting or twice (npm passes on what the terminal sent).
  const signal = new Promise<string>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve(name));
  });
  const running = await start(config, log, print);
  log.info({ signal: await signal }, "stopping");
  setTimeout(() => {
    log.error("stopping took too long: leaving");
    process.exit(1);
  }, stopDeadlineMs).unref();
  await running.stop();
  log.info("stopped");
}

/** Starts everything. Throws what keeps it from starting; then nothing is left running. */
export async function start(config: Config, log: Logger, print: (line: string) => void): Promise<Running> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
  };
  try {
    const ground = await prepareGround(config, (line) => log.debug({ from: "postgres" }, line));
    stops.push(() => ground.release());
    const applied = await migrate({ url: ground.databaseUrl });
    if (applied.length > 0) log.info({ migrations: applied }, "migrated");

    const db = connect({ url: ground.databaseUrl, log: (line) => log.warn(line) });
    stops.push(() => db.destroy());
    await checkKey(db, ground.keyRing);

    const simulated = createSimulatedEngine({ db, settings: config.simulated });
    const engines = new Map<string, Engine>([[simulated.name, simulated]]);
    stops.push(() => simulated.close());

    const service: Service = {
      keyRing: ground.keyRing,
      limits: config.limits,
      capacity: new CapacityMirror(db),
      noRoom: new NoRoom(db, (report) => log.info(report, "no room")),
    };
    const readiness = { ready: false };
    const hostWorlds = new Map([[simulated.name, simulatedHostWorld]]);
    const http = await createHttp({ config, db, service, log, readiness, hostWorlds });
    const addresses = await http.listen();
    const addressOf = (name: InterfaceName) => addressIn(config, addresses, name);

    const fulfilment = await startFulfilment({
      db,
      databaseUrl: ground.databaseUrl,
      engines,
      keyRing: ground.keyRing,
      settings: config.fulfilment,
      log,
    });
    stops.push(() => fulfilment.stop());
    // Stopped first, so that what was acknowledged last is still seen by fulfilment.
    stops.push(() => http.close());

    let shown: FirstTokens = { operator: undefined, customer: undefined };
    await firstStart(db, startSettings(config), async (tokens) => {
      if (config.demo) await loadDemo(config, addressOf("control"), tokens.operator ?? config.operatorToken);
      print(tokensText(tokens));
      shown = tokens;
    });
    readiness.ready = true;
    print(placesText(config.listeners, addresses));
    print(launchText(addressOf("marketplace"), shown.customer));
    return { addressOf, stop };
  } catch (error) {
    await stop();
    throw error;
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
    throw new ConfigError("The demo is loaded through the control interface: switch that on, or set LESSOR_DEMO=0.");
  }
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
