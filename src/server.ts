// Starts the service and stops it: the data directory, the database and the keys, then what start-sequence.ts starts on
// them, and all of it in the opposite order. Used by program.ts. Invariant: whatever was started is stopped, also when a later step
// fails.

import type { Logger } from "pino";
import type { Overrides } from "./composition.ts";
import type { InterfaceName } from "./config/interfaces.ts";
import type { Config } from "./config.ts";
import { loadEngines } from "./engines/kinds.ts";
import { createLog } from "./log.ts";
import type { Print } from "./start-sequence.ts";
import { prepareStartup } from "./startup/databases.ts";

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
 * Starts everything. Throws what keeps it from starting; then nothing is left running. `overrides`: for tests that end the
 * process at a step of the reconciler.
 */
export async function start(config: Config, log: Logger, print: Print, overrides: Overrides = {}): Promise<Running> {
  await using started = new AsyncDisposableStack(); // stopped again, should a later step throw
  // Loaded while the database is made or starts, which is another process's work and takes about as long.
  const load = async () => {
    const [sequence] = await Promise.all([import("./start-sequence.ts"), loadEngines(config.engines)]);
    return sequence;
  };
  const meanwhile = () => void load().catch(() => {}); // The one below tells.
  const resources = await prepareStartup(config, (line) => log.debug({ from: "postgres" }, line), meanwhile);
  started.defer(() => resources.release());
  const { startService } = await load();
  const addressOf = await startService({ config, log, print, resources, stops: started, overrides });
  const stops = started.move();
  return { addressOf, stop: () => stops.disposeAsync() };
}
