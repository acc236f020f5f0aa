// Changes the key file of a running server: adds a new encryption key first, or removes an old one.
//
// Invariants: whenever the computer stops, the file has either the former keys or the new ones, never a part; and
// comments in it stay. Only the holder of the data directory's lock may call this, so there is one writer and the draft
// has a fixed name, which the next start or change removes if a writer was killed. Used by encryption/.

import { existsSync, realpathSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory, writeDurably } from "./durable-file.ts";
import { isKeyLine, readKeyFile } from "./key-file.ts";
import { idOfKey } from "./key-ring.ts";
import { parseKeyList } from "./parse-keys.ts";

/** Puts the key before all others. `onDraft` is called when the new file is written under its draft name. */
export function putFirstInKeyFile(path: string, key: Buffer, onDraft: () => void = () => {}): void {
  const lines = readKeyFile(path).text.split("\n");
  lines.splice(lines.findIndex(isKeyLine), 0, key.toString("base64"));
  replace(path, lines.join("\n"), onDraft);
}

/** Removes the key of this id, if it is there and is not the only one. */
export function removeFromKeyFile(path: string, keyId: string): void {
  const { text, keys } = readKeyFile(path);
  const left = keys.filter((key) => idOfKey(key) !== keyId);
  if (left.length === keys.length) return;
  if (left.length === 0) throw new Error(`BUG: ${keyId} is the only key of the file`);
  const lines = text.split("\n").filter((line) => !isKeyLine(line) || idOfLine(line) !== keyId);
  replace(path, lines.join("\n"));
}

/** Removes the draft of a killed writer: a file with keys that nothing else refers to. */
export function removeDraft(path: string): void {
  const real = existsSync(path) ? realpathSync(path) : path;
  rmSync(draftOf(real), { force: true });
}

function idOfLine(line: string): string {
  const [key] = parseKeyList([line.trim()]);
  return key === undefined ? "" : idOfKey(key);
}

/** If the file is a link, its target is replaced. */
function replace(path: string, text: string, onDraft: () => void = () => {}): void {
  const real = realpathSync(path);
  const draft = draftOf(real);
  rmSync(draft, { force: true });
  try {
    writeDurably(draft, text);
    onDraft();
    renameSync(draft, real);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncDirectory(dirname(real));
}

function draftOf(path: string): string {
  return `${path}.draft`;
}
