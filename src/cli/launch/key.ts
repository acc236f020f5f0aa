// The Idempotency-Key of a launch, stored in a file from before the request until its response. If the response is lost
// (a broken connection, a killed terminal, an empty battery), rerunning the command retries the same launch and creates
// no second instance. $XDG_STATE_HOME/lessor/launches (or ~/.local/state).
//
// Invariant: neither the file nor its name, an HMAC under the token, reveals what is launched. Each process has its own
// file, so none takes another's idempotency key: two concurrent identical launches are two launches, and either
// response may be lost. An idempotency key that a process left behind is taken over by one other process.

import { createHmac, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../record.ts";

export interface LaunchKey {
  readonly key: string;
  /** The price that was sent with it, because a retry must send the same one. */
  readonly priceCents: number;
  /** When it was first sent, in milliseconds since 1970; so that a retry waits until the same time. */
  readonly at: number;
  /** Whether an earlier launch left it, because its response was lost. */
  readonly isRepeated: boolean;
  /** The response arrived: the next identical launch is a new one. */
  readonly done: () => void;
}

/** The service keeps an idempotency key for 24 hours; the rest is for the request itself. */
const keptMs = 23 * 3600 * 1000;

/** The key for this order: from an earlier try without a response, or new. Also new if none can be stored. */
export function launchKey(env: NodeJS.ProcessEnv, secret: string, order: unknown, priceCents: number): LaunchKey {
  const folder = stateFolder(env);
  const fresh = { key: randomUUID(), priceCents, at: Date.now(), isRepeated: false };
  if (folder === undefined) return { ...fresh, done: () => {} };
  const name = createHmac("sha256", secret).update(JSON.stringify(order)).digest("hex");
  const path = join(folder, `${name}.${fresh.key}`);
  return { ...takenOver(folder, name, path), done: () => rmSync(path, { force: true }) };

  /** Takes over what another process left; or creates a new one. */
  function takenOver(from: string, prefix: string, to: string): Omit<LaunchKey, "done"> {
    for (const { file, ...left } of leftBehind(from, prefix)) {
      keep(to, left);
      if (isFirstToRemove(file)) return { ...left, isRepeated: true };
    }
    keep(to, fresh);
    return fresh;
  }
}

/** Fails silently: the file only helps if the response is lost, and a full disk should not prevent a launch. */
function keep(path: string, { key, priceCents, at }: Pick<LaunchKey, "key" | "priceCents" | "at">): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const owner = { process: process.pid, since: beginningOf(process.pid) };
    writeFileSync(path, JSON.stringify({ key, price_cents: priceCents, ...owner, at }), { mode: 0o600 });
  } catch {
    // See above.
  }
}

/** False if another process took it first. */
function isFirstToRemove(file: string): boolean {
  try {
    unlinkSync(file);
    return true;
  } catch {
    return false;
  }
}

function stateFolder(env: NodeJS.ProcessEnv): string | undefined {
  const state = env.XDG_STATE_HOME || (env.HOME ? join(env.HOME, ".local", "state") : undefined);
  return state === undefined ? undefined : join(state, "lessor", "launches");
}

interface Left extends Pick<LaunchKey, "key" | "priceCents" | "at"> {
  readonly file: string;
}

/** What finished processes left of this order. Expired files are removed. */
function leftBehind(folder: string, name: string): Left[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((one) => one.startsWith(name));
  } catch {
    // The directory does not exist yet.
  }
  return names.flatMap((one) => leftIn(join(folder, one)) ?? []);
}

function leftIn(file: string): Left | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isRecord(kept)) return undefined;
    const { key, price_cents: priceCents, process: owner, since, at } = kept;
    if (typeof key !== "string" || typeof priceCents !== "number" || typeof at !== "number") return undefined;
    if (Date.now() - at > keptMs) return void rmSync(file, { force: true });
    return typeof owner === "number" && isRunning(owner, since) ? undefined : { file, key, priceCents, at };
  } catch {
    return undefined; // Cut off while it was written, before anything was sent.
  }
}

/** Whether that process is still running. Process ids are reused, above all after a restart. */
function isRunning(pid: number, since: unknown): boolean {
  if (pid === process.pid) return false;
  const now = beginningOf(pid);
  if (typeof since === "string" && now !== undefined) return since === now;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When a process started, on Linux (proc(5): the 22nd field of stat, in ticks since boot); undefined elsewhere. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name, which may contain any characters.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`;
  } catch {
    return undefined;
  }
}
