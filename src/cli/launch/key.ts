// The Idempotency-Key of a launch, kept in a file from before it is sent until its answer is there. A launch whose answer was
// lost (a broken connection, a killed terminal, a dead battery) and that is typed again is so the same launch to the service,
// and never a second instance. $XDG_STATE_HOME/lessor/launches (or ~/.local/state).
//
// Invariant: nothing of what is launched can be read from the file, nor guessed from its name: that is an HMAC under the
// token. Each process has a file of its own, so none takes another's key away: the same launch twice, side by side, is two
// launches, and either answer may be lost. A key that a process left is taken over by one other process.

import { createHmac, randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isRecord } from "../record.ts";

export interface LaunchKey {
  readonly key: string;
  /** The price that went with it, for a request that is repeated must be the same. */
  readonly priceCents: number;
  /** Whether an earlier launch left it: then its answer was lost. */
  readonly isRepeated: boolean;
  /** The answer is there: the next launch like this is a new one. */
  readonly done: () => void;
}

/** The service knows a key for 24 hours; some of it is left for the request itself. */
const keptMs = 23 * 3600 * 1000;

/** The key for this order, from an earlier try whose answer was lost or a new one. Without a place to keep it: a new one. */
export function launchKey(env: NodeJS.ProcessEnv, secret: string, order: unknown, priceCents: number): LaunchKey {
  const folder = stateFolder(env);
  const fresh = { key: randomUUID(), priceCents, isRepeated: false };
  if (folder === undefined) return { ...fresh, done: () => {} };
  const name = createHmac("sha256", secret).update(JSON.stringify(order)).digest("hex");
  const path = join(folder, `${name}.${fresh.key}`);
  return { ...takenOver(folder, name, path), done: () => rmSync(path, { force: true }) };

  /** What another process left, as ours from now on; or a new one. */
  function takenOver(from: string, prefix: string, to: string): Omit<LaunchKey, "done"> {
    for (const { file, at, ...left } of leftBehind(from, prefix)) {
      keep(to, left, at);
      if (isFirstToRemove(file)) return { ...left, isRepeated: true };
    }
    keep(to, fresh, Date.now());
    return fresh;
  }
}

/** Nothing where it cannot be kept: it only helps where the answer is lost, and a full disk is no reason to launch nothing. */
function keep(path: string, { key, priceCents }: Pick<LaunchKey, "key" | "priceCents">, at: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const owner = { process: process.pid, since: beginningOf(process.pid) };
    writeFileSync(path, JSON.stringify({ key, price_cents: priceCents, ...owner, at }), { mode: 0o600 });
  } catch {
    // As said above.
  }
}

/** False where another process was faster, and has the key. */
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

interface Left extends Pick<LaunchKey, "key" | "priceCents"> {
  readonly file: string;
  /** When it was first sent. */
  readonly at: number;
}

/** What earlier processes left of this order, and nobody waits for any more. What is too old is removed. */
function leftBehind(folder: string, name: string): Left[] {
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((one) => one.startsWith(name));
  } catch {
    // There is none yet.
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
    return undefined; // It was cut off while it was written, before anything was sent.
  }
}

/** Whether that process still waits. A number alone may have become another process's, above all after a restart. */
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

/** When a process began, as Linux knows it (proc(5): the 22nd field of stat, in ticks since the boot); undefined elsewhere. */
function beginningOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name, which may have anything in it.
    const ticks = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${ticks}`;
  } catch {
    return undefined;
  }
}
