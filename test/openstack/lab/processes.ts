// Starting, killing and finding the lab's processes. Each runs in the lab's network namespace and in a session of its own;
// a file tells its id and when it started, so that never another that has its number by now is ended.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { logEnd, startDetached, until } from "../../support/lab/detached.ts";
import { type Identity, identityOf, isAlive } from "../../support/lab/processes.ts";
import { type RunOptions, run } from "../../support/lab/run.ts";
import type { Layout } from "./layout.ts";

export interface Program {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** For everything that is written in Python: our own modules beside Debian's. */
export function pythonEnv({ settings, state }: Layout): Record<string, string> {
  return {
    PYTHONPATH: `${pythonDirectory}:${settings}`,
    PYTHONWARNINGS: "ignore",
    // Nothing is to appear in the checkout.
    PYTHONDONTWRITEBYTECODE: "1",
    OS_KEYSTONE_CONFIG_FILES: join(settings, "keystone.conf"),
    OS_PLACEMENT_CONFIG_DIR: settings,
    // Some libraries write below it.
    HOME: state,
  };
}

export const pythonDirectory = join(import.meta.dirname, "python");

/** Debian's, which has the packages. */
export const python = "/usr/bin/python3";

/** Nothing to do where it runs. */
export function startProcess(layout: Layout, name: string, { program, args, env }: Program): void {
  if (processOf(layout, name) !== undefined) return;
  const inNamespace = [`--net=/run/netns/${layout.namespace}`, "--", program, ...args];
  const pid = startDetached("nsenter", inNamespace, logOf(layout, name), { ...pythonEnv(layout), ...env });
  // Everything that is exec'ed keeps the id and the start.
  const identity = identityOf(pid);
  if (identity === undefined) throw new Error(`${name} ended at once: ${logEnd(logOf(layout, name))}`);
  writeFileSync(fileOf(layout, name), JSON.stringify(identity));
}

/** Sends the signal to it and its children and returns when it is gone. Nothing to do where it does not run. */
export async function endProcess(layout: Layout, name: string, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  const identity = processOf(layout, name);
  if (identity !== undefined) {
    signalGroup(identity, signal);
    await until(() => !isAlive(identity), `the end of ${name}`, logOf(layout, name));
  }
  rmSync(fileOf(layout, name), { force: true });
}

/** Stops it where it is, or lets it go on. */
export function signalProcess(layout: Layout, name: string, signal: "SIGSTOP" | "SIGCONT"): void {
  const identity = processOf(layout, name);
  if (identity === undefined) throw new Error(`${name} does not run`);
  signalGroup(identity, signal);
}

export function processOf(layout: Layout, name: string): Identity | undefined {
  const file = fileOf(layout, name);
  if (!existsSync(file)) return undefined;
  const identity: Identity = JSON.parse(readFileSync(file, "utf8"));
  return isAlive(identity) ? identity : undefined;
}

/** Returns when the check holds. Throws when the process is gone, or the time is over, with the end of its log. */
export async function ready(
  layout: Layout,
  name: string,
  check: () => boolean | Promise<boolean>,
  seconds = 120,
): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await check())) {
    const late = performance.now() > deadline;
    if (late || processOf(layout, name) === undefined) {
      const how = late ? `is not ready after ${seconds} s` : "has ended";
      throw new Error(`${name} of the lab ${how}. Its log ends: ${logEnd(logOf(layout, name))}`);
    }
    await sleep(200);
  }
}

/** Whether anything answers in HTTP there, with whatever status. */
export async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) });
    await response.arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/** Runs a program to its end in the lab's namespace. */
export function runIn(layout: Layout, { program, args, env }: Program, options: RunOptions = {}): Promise<string> {
  return run("nsenter", [`--net=/run/netns/${layout.namespace}`, "--", program, ...args], {
    timeoutSeconds: 300,
    ...options,
    env: { ...pythonEnv(layout), ...env },
  });
}

export function logOf({ logs }: Layout, name: string): string {
  return join(logs, `${name}.log`);
}

function fileOf({ running }: Layout, name: string): string {
  return join(running, name);
}

function signalGroup({ pid }: Identity, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}
