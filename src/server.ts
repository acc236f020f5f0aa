// Starts the service and stops it: the ground (data directory, database, keys), then what composition.ts puts on it, and
// all of it in the opposite order. Used by program.ts. Invariant: whatever was started is stopped, also when a later step
// fails.

import type { Print } from "./composition.ts";
import type { Config, InterfaceName } from "./config.ts";
import { createLog, type Logger } from "./log.ts";
import type { FailpointRunner } from "./reconciler/index.ts";
import { prepareStartup } from "./startup/databases.ts";

export type { Print } from "./composition.ts";
export { ownVersion } from "./startup/version.ts";

export interface Running {
  /** Where an interface is, with its prefix; undefined where it is switched off. */
  addressOf(name: InterfaceName): string | undefined;
  /** Drains and stops everything. */
  stop(): Promise<void>;
}

/**
 * A person who pressed Ctrl-C waits no longer than this, whatever hangs: first requests under way have their time, then
 * engine calls, and the rest is for the database to write everything out.
 */
const stopDeadlineMs = 9_500;

/** Runs the service until SIGINT or SIGTERM, then drains it. Throws what keeps it from starting, for the person at the door. */
export async function serve(config: Config, print: Print): Promise<void> {
  const log = createLog(config.logLevel);
  // From now on a signal is a wish, also one that comes while starting or twice (npm passes on what the terminal sent).
  const signal = new Promise<string>((resolve) => {
    for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => resolve(name));
  });
  const running = await start(config, log, print);
  log.info({ signal: await signal }, "stopping");
  setTimeout(
    () => {
      log.error("shutdown timed out; exiting");
      process.exit(1);
    },
    config.drainDelaySeconds * 1000 + stopDeadlineMs,
  ).unref();
  await running.stop();
  log.info("stopped");
}

/**
 * Starts everything. Throws what keeps it from starting; then nothing is left running. `gate`: for tests that end the
 * process at a step of the reconciler.
 */
export async function start(config: Config, log: Logger, print: Print, gate?: FailpointRunner): Promise<Running> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (let next = stops.pop(); next !== undefined; next = stops.pop()) await next();
  };
  try {
    // Loaded while the database is made or starts, which is another process's work and takes about as long.
    const load = () => import("./composition.ts");
    const meanwhile = () => void load().catch(() => {}); // The one below tells.
    const ground = await prepareStartup(config, (line) => log.debug({ from: "postgres" }, line), meanwhile);
    stops.push(() => ground.release());
    const { compose } = await load();
    return { addressOf: await compose({ config, log, print, ground, gate, stops }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
