// Where `lessor login` stores tokens: $XDG_CONFIG_HOME/lessor/config.json (or ~/.config/lessor/config.json), readable
// only by its owner. Each service, or each token of one service, has a profile.
//
// Invariant: the file never has a wider mode than 0600 and is never partly written: it is replaced by a rename.

import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { isRecord } from "../record.ts";

export interface Profile {
  /** The service's address, as LESSOR_URL has it. */
  readonly url: string;
  readonly token: string;
}

export interface Profiles {
  /** The default profile. */
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

const none: Profiles = { current: "default", profiles: {} };

/** The path of the file; undefined if the environment names no home. */
export function configPath(env: NodeJS.ProcessEnv): string | undefined {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, "lessor", "config.json");
  return env.HOME ? join(env.HOME, ".config", "lessor", "config.json") : undefined;
}

/** The stored profiles; none without a file. Throws CommandError for an invalid or unreadable file. */
export function readProfiles(env: NodeJS.ProcessEnv): Profiles {
  const path = configPath(env);
  if (path === undefined) return none;
  const text = textOf(path);
  if (text === undefined) return none;
  try {
    const read: unknown = JSON.parse(text);
    if (isProfiles(read)) return read;
  } catch {
    // Reported below, without the file's content.
  }
  throw new CommandError(`${path} was not written by lessor login.`, "Remove it and sign in again: lessor login.");
}

/** Stores these profiles. Throws CommandError if the file cannot be written. */
export function writeProfiles(env: NodeJS.ProcessEnv, profiles: Profiles): string {
  const path = configPath(env);
  if (path === undefined) {
    throw new CommandError("Can't store a token: HOME is not set.", "Set HOME, or LESSOR_TOKEN instead.");
  }
  const draft = `${path}.${randomBytes(4).toString("hex")}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: "wx" });
    chmodSync(draft, 0o600); // Independent of the umask and the file system.
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw new CommandError(`${path} cannot be written.`, "Check who owns it, or set LESSOR_TOKEN instead.", {
      cause: error,
    });
  }
  return path;
}

/** The text of a file; undefined if it does not exist. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code)))
      return undefined;
    throw new CommandError(`${path} cannot be read.`, "Check who owns it, or set LESSOR_TOKEN instead.", {
      cause: error,
    });
  }
}

function isProfiles(value: unknown): value is Profiles {
  if (!isRecord(value) || typeof value.current !== "string" || !isRecord(value.profiles)) return false;
  return Object.values(value.profiles).every(
    (one) => isRecord(one) && typeof one.url === "string" && typeof one.token === "string",
  );
}
