// The Idempotency-Key of a launch, kept in a file from before it is sent until its answer is there. A launch whose answer was
// lost (a broken connection, a killed terminal, a dead battery) and that is typed again is so the same launch to the service,
// and never a second machine. $XDG_STATE_HOME/lessor/launches (or ~/.local/state).
//
// Invariant: nothing of what is launched can be read from the file, nor guessed from its name: that is an HMAC under the
// token. And one that another running process waits for is not taken: the same launch twice, side by side, is two launches.

import { createHmac, randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "./record.ts";

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
  const path = join(folder, name);
  const left = leftBehind(path);
  const found = left ?? fresh;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const kept = { key: found.key, price_cents: found.priceCents, process: process.pid, at: left?.at ?? Date.now() };
    writeFileSync(path, JSON.stringify(kept), { mode: 0o600 });
  } catch {
    // It only helps where the answer is lost; a disk that is full is no reason to launch nothing.
  }
  return { ...found, done: () => rmSync(path, { force: true }) };
}

function stateFolder(env: NodeJS.ProcessEnv): string | undefined {
  const state = env.XDG_STATE_HOME || (env.HOME ? join(env.HOME, ".local", "state") : undefined);
  return state === undefined ? undefined : join(state, "lessor", "launches");
}

/** What an earlier process left; undefined where there is nothing, or it is too old, or that process still waits. */
function leftBehind(path: string): { key: string; priceCents: number; isRepeated: true; at: number } | undefined {
  try {
    const kept: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isRecord(kept)) return undefined;
    const { key, price_cents: priceCents, process: owner, at } = kept;
    if (typeof key !== "string" || typeof priceCents !== "number" || typeof at !== "number") return undefined;
    if (Date.now() - at > keptMs || (typeof owner === "number" && isRunning(owner))) return undefined;
    return { key, priceCents, isRepeated: true, at };
  } catch {
    return undefined; // There is none, or it was cut off while it was written, before anything was sent.
  }
}

function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
