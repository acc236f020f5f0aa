// The environment of every virsh process, and how it is ended. Used by virsh.ts, follow.ts and console.ts.

import { type ChildProcess, spawnSync } from "node:child_process";

/** Messages are parsed, so they must not be in the operator's language. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: "C", LANGUAGE: "" };
}

/**
 * Kills it with the transport that it started: it leads a process group, which also protects it from a terminal's
 * Ctrl-C. Not after it has closed: its number could belong to another process.
 */
export function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group is gone already.
  }
}

/** The result, and its PATH. */
let found: { readonly path: string | undefined; readonly prefix: readonly string[] } | undefined;

/**
 * The command so that it ends with this process: otherwise it would keep waiting for events. Not every system has
 * setpriv, and not every setpriv (busybox) this option; without it the process ends with its next event.
 */
export function endingWithUs(command: readonly string[]): readonly string[] {
  const path = process.env.PATH;
  if (found === undefined || found.path !== path) {
    const { status } = spawnSync("setpriv", ["--pdeathsig", "KILL", "--", "true"], { cwd: "/" });
    found = { path, prefix: status === 0 ? ["setpriv", "--pdeathsig", "KILL", "--"] : [] };
  }
  return [...found.prefix, ...command];
}
