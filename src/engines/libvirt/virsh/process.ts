// What every process of virsh is given, and how it is ended. Used by virsh.ts, follow.ts and console.ts.

import { type ChildProcess, spawnSync } from "node:child_process";

/** The environment of every process: messages are read, so they must not be in the operator's language. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env, LC_ALL: "C", LANGUAGE: "" };
}

/**
 * With the transport that it started: it leads a group of its own, which also keeps a terminal's Ctrl-C from it. Not once
 * it has closed: its number may be another's by then.
 */
export function kill(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The whole group is gone already.
  }
}

/** What was found, and in which PATH. */
let found: { readonly path: string | undefined; readonly prefix: readonly string[] } | undefined;

/**
 * The command so that it ends when we do, however that comes: what waits for events would wait on. Not every system has
 * setpriv, and not every setpriv (busybox) this option; without it such a process ends with its next event.
 */
export function endingWithUs(command: readonly string[]): readonly string[] {
  const path = process.env.PATH;
  if (found === undefined || found.path !== path) {
    const { status } = spawnSync("setpriv", ["--pdeathsig", "KILL", "--", "true"], { cwd: "/" });
    found = { path, prefix: status === 0 ? ["setpriv", "--pdeathsig", "KILL", "--"] : [] };
  }
  return [...found.prefix, ...command];
}
