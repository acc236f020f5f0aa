// Starts and stops the service: the data directory, the database and the keys, then start-sequence.ts on top of them,
// and all in reverse order to stop. Used by program.ts. Invariant: whatever was started is stopped, even if a later
// step fails.

import type { Logger } from "pino";
import type { Overrides } from "./composition.ts";
import type { InterfaceName } from "./config/interfaces.ts";
import type { Config } from "./config.ts";
import { loadEngines } from "./engines/kinds.ts";
import { createLog } from "./log.ts";
import type { Print } from "./start-sequence.ts";
import { prepareStartup } from "./startup/databases.ts";

export interface Running {
  /** The URL of an interface, with its prefix; undefined if it is disabled. */
  addressOf(name: InterfaceName): string | undefined;
  /** Drains and stops everything. */
  stop(): Promise<void>;
}

/**
 * The maximum wait after Ctrl-C, whatever hangs: first for pending requests, then for engine calls; the rest is for the
 * database to write everything out.
 */
const stopDeadlineMs = 9_500;

/** Runs the service until SIGINT or SIGTERM, then drains it. Throws startup errors. */
export async function serve(config: Config, print: Print): Promise<void> {
  const log = createLog(config.logLevel);
  // From now on a signal requests a stop, even during the start or twice (npm forwards the terminal's signal).
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
 * Starts everything. Throws startup errors; then nothing is left running. `overrides`: for tests that end the process
 * at a step of the reconciler.
 */
export async function start(config: Config, log: Logger, print: Print, overrides: Overrides = {}): Promise<Running> {
  await using started = new AsyncDisposableStack(); // stopped again if a later step throws
  // Loaded while the database is created or starts, which another process does and which takes about as long.
  const load = async () => {
    const [sequence] = await Promise.all([import("./start-sequence.ts"), loadEngines(config.engines)]);
    return sequence;
  };
  const meanwhile = () => void load().catch(() => {}); // Reported by the load below.
  const resources = await prepareStartup(config, (line) => log.debug({ from: "postgres" }, line), meanwhile);
  started.defer(() => resources.release());
  const { startService } = await load();
  const addressOf = await startService({ config, log, print, resources, stops: started, overrides });
  const stops = started.move();
  return { addressOf, stop: () => stops.disposeAsync() };
}
