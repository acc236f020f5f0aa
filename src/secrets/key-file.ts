// The file of encryption keys, used if LESSOR_ENCRYPTION_KEY is not set: one key per line, the first is current; empty
// lines and lines that begin with # are comments. Invariants: the file is created whole or not at all, even if several
// servers start at once or the computer stops midway, because losing a used key loses everything encrypted with it; and
// only its owner may read it. Used by startup/databases.ts; key-file-change.ts changes its content.

import { randomBytes, randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, linkSync, openSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory, writeDurably } from "./durable-file.ts";
import { BadKeys, keyBytes, parseKeyList } from "./parse-keys.ts";

/** The key file exists but must not be used. The message names the file and the fix. */
export class KeyFileError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "KeyFileError";
  }
}

/**
 * The keys of the file at `path`, 32 bytes each, for a KeyRing. If it does not exist, creates it with a new key, mode
 * 0600; its directory must exist. Throws KeyFileError if group or others have access, and if it holds no valid keys; a
 * file that cannot be read or created throws what node:fs throws.
 */
export function loadOrCreateKeyFile(path: string): Buffer[] {
  const found = load(path);
  if (found !== undefined) return found;
  create(path);
  const made = load(path);
  if (made === undefined) throw new KeyFileError(`The key file ${path} disappeared while it was created. Restart.`);
  return made;
}

/** The keys of the existing file at `path`. Throws as loadOrCreateKeyFile. */
export function readKeyFile(path: string): { readonly keys: Buffer[]; readonly text: string } {
  const found = loadWithText(path);
  if (found === undefined) throw new KeyFileError(`The key file ${path} is missing. Put it back.`);
  return found;
}

/** The lines of a key file that hold a key. */
export function isKeyLine(line: string): boolean {
  return line.trim() !== "" && !line.trim().startsWith("#");
}

function load(path: string): Buffer[] | undefined {
  return loadWithText(path)?.keys;
}

function loadWithText(path: string): { keys: Buffer[]; text: string } | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) throw new KeyFileError(`The key file ${path} is not a regular file.`);
    if ((stat.mode & 0o077) !== 0) {
      const mode = (stat.mode & 0o777).toString(8).padStart(4, "0");
      throw new KeyFileError(
        `The key file ${path} is accessible to other users than its owner (mode ${mode}). Run: chmod 600 ${path}`,
      );
    }
    const text = readFileSync(file, "utf8");
    return { keys: parseKeyFile(text, path), text };
  } finally {
    closeSync(file);
  }
}

/** Non-blocking, so that a pipe in the file's place is rejected instead of waited for. */
function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function parseKeyFile(text: string, path: string): Buffer[] {
  const lines = text.split("\n").filter(isKeyLine);
  try {
    return parseKeyList(lines.map((line) => line.trim()));
  } catch (error) {
    if (error instanceof BadKeys)
      throw new KeyFileError(`The key file ${path} must hold one key per line. ${error.message}`);
    throw error;
  }
}

/**
 * Writes and syncs the file under another name, then links it to its own. Linking fails if another server was faster,
 * unlike renaming, which would replace a key that may already be in use.
 */
function create(path: string): void {
  const draft = `${path}.${randomUUID()}.draft`;
  try {
    writeDurably(
      draft,
      "# Encryption keys of Lessor, one per line. The first encrypts; the others only decrypt.\n" +
        "# Without this file, encrypted values cannot be read: back it up, separately from the database.\n" +
        `${randomBytes(keyBytes).toString("base64")}\n`,
    );
    linkSync(draft, path);
    syncDirectory(dirname(path));
  } catch (error) {
    if (!hasCode(error, "EEXIST")) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
