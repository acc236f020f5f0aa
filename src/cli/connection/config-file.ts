// Where `lessor login` stores tokens: in the keyring of the operating system, or without one in
// $XDG_CONFIG_HOME/lessor/config.json (or ~/.config/lessor/config.json), readable only by its owner. Each service, or each
// token of one service, has a profile there.
//
// Invariant: the file never has a wider mode than 0600 and is never partly written: it is replaced by a rename.

import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CommandError } from "../command-error.ts";
import { isRecord } from "../record.ts";
import { findInKeyring, removeFromKeyring, storeInKeyring } from "./keyring.ts";

export interface Profile {
  /** The service's address, as LESSOR_URL has it. */
  readonly url: string;
  /** Read from the keyring only when it is needed. */
  readonly token: string;
  /** The name of its team, of a token that a person confirmed in the browser. */
  readonly team?: string;
  /** What the keyring finds its token by; undefined: the token is in the file. */
  readonly keyring?: string;
}

/** A profile as the file has it. */
type Stored = Pick<Profile, "url" | "team" | "keyring"> & { readonly token?: string };

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
    if (isStored(read)) {
      const profiles = Object.entries(read.profiles).map(([name, one]) => [name, profileOf(env, one)] as const);
      return { current: read.current, profiles: Object.fromEntries(profiles) };
    }
  } catch {
    // Reported below, without the file's content.
  }
  throw new CommandError(`${path} was not written by lessor login.`, "Remove it and sign in again: lessor login.");
}

/** A profile whose token is read from the keyring when it is needed. */
function profileOf(env: NodeJS.ProcessEnv, { url, token, team, keyring }: Stored): Profile {
  const rest = { url, ...(team !== undefined && { team }) };
  if (token !== undefined || keyring === undefined) return { ...rest, token: token ?? "" };
  return {
    ...rest,
    keyring,
    get token(): string {
      const found = findInKeyring(env, keyring);
      if (found !== undefined) return found;
      throw new CommandError(
        "The keyring does not have the stored token.",
        "Unlock it, or sign in again: lessor login.",
      );
    },
  };
}

/** As it is to be stored: the token in the keyring, if there is one. */
function storedOf(env: NodeJS.ProcessEnv, name: string, profile: Profile): Stored {
  const rest = { url: profile.url, ...(profile.team !== undefined && { team: profile.team }) };
  if (profile.keyring !== undefined) return { ...rest, keyring: profile.keyring };
  const account = `${name}@${profile.url}`;
  return storeInKeyring(env, account, profile.token)
    ? { ...rest, keyring: account }
    : { ...rest, token: profile.token };
}

/** Removes the token of a profile that is to be deleted from the keyring. */
export function forgetToken(env: NodeJS.ProcessEnv, { keyring }: Profile): void {
  if (keyring !== undefined) removeFromKeyring(env, keyring);
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
    const stored = Object.entries(profiles.profiles).map(([name, one]) => [name, storedOf(env, name, one)] as const);
    const text = JSON.stringify({ current: profiles.current, profiles: Object.fromEntries(stored) }, null, 2);
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flag: "wx" });
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

function isStored(value: unknown): value is { current: string; profiles: Record<string, Stored> } {
  if (!isRecord(value) || typeof value.current !== "string" || !isRecord(value.profiles)) return false;
  return Object.values(value.profiles).every(
    (one) =>
      isRecord(one) &&
      typeof one.url === "string" &&
      (typeof one.token === "string" || typeof one.keyring === "string") &&
      (one.team === undefined || typeof one.team === "string"),
  );
}
