// Processes of a lab that are to outlive the test's process, and waiting for what they do.

import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Starts it and gives its id. In a session of its own, so that neither Ctrl-C nor the end of a test's process ends it,
 * and without a pipe of ours, which would keep whoever reads it waiting. `env` and nothing else of ours: it would show in
 * everything that a daemon starts.
 */
export function startDetached(
  program: string,
  args: readonly string[],
  logFile: string,
  env: Readonly<Record<string, string>> = {},
): number {
  const log = openSync(logFile, "a");
  const child = spawn(program, args, {
    detached: true,
    stdio: ["ignore", log, log],
    cwd: "/",
    env: { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", HOME: "/root", ...env },
  });
  // Told below, where there is no id.
  child.on("error", () => {});
  child.unref();
  closeSync(log);
  if (child.pid === undefined) throw new Error(`${program} could not be started`);
  return child.pid;
}

/** Returns when the condition holds. Throws after a minute, with the end of the log. */
export async function until(condition: () => boolean, what: string, logFile: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited in vain for ${what}. The log ends: ${logEnd(logFile)}`);
    await sleep(10);
  }
}

export function logEnd(logFile: string): string {
  return existsSync(logFile) ? readFileSync(logFile, "utf8").trim().slice(-2000) : "(nothing)";
}
