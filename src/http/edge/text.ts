// Text that PostgreSQL and JSON readers can hold: no NUL and no lone surrogate, anywhere in a request.
// Invariant: what a route receives is free of both, so no string of a client can make a statement fail. The only
// exceptions are fields that an operation declares as `ownText`, which the rental validates with its own messages. Used
// for bodies (json-body.ts), path parameters (server.ts) and queries (query.ts).

import { invalid, type RentalError } from "../../rental/errors.ts";

/** How deeply a body may be nested. The deepest body of any operation has four levels. */
const maxDepth = 32;

const MESSAGE = "Must not contain NUL characters or lone surrogates.";

/** The error for a text that cannot be stored, or undefined. `field` names its place; the text is not repeated. */
export function refuseText(text: string, field: string): RentalError | undefined {
  return isStorable(text) ? undefined : invalid(field, MESSAGE);
}

/** The most values in a body, of all depths: ten times what the largest list of an operation holds. */
export const maxValues = 20_000;

/**
 * Which limit of a body this JSON exceeds; undefined: none. For other text the result is arbitrary. Checked before
 * parsing: parsing a mebibyte of brackets or of keys, and the garbage collection after it, takes a hundred times as
 * long as scanning it, and blocks all other requests.
 */
export function excessOf(json: string): "depth" | "values" | undefined {
  let depth = 0;
  let values = 1;
  let inString = false;
  for (let at = 0; at < json.length; at++) {
    const letter = json.charCodeAt(at);
    if (inString) {
      if (letter === backslash) at++;
      else if (letter === quote) inString = false;
    } else if (letter === quote) inString = true;
    else if (letter === comma) {
      if (++values > maxValues) return "values";
    } else if (letter === openBracket || letter === openBrace) {
      if (++depth > maxDepth) return "depth";
      if (++values > maxValues) return "values";
    } else if (letter === closeBracket || letter === closeBrace) depth--;
  }
  return undefined;
}

const [quote, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = [
  0x22, 0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d,
];

/**
 * Checks a parsed body. Throws for invalid text, naming the field; false when nested too deeply. The fields `ownText`
 * of the body may hold any text.
 */
export function checkTree(root: unknown, ownText: readonly string[] = []): boolean {
  // One path for all values, formatted only for a message.
  const path: (string | number)[] = [];

  function refuseIfBad(text: string): void {
    if (!isStorable(text)) throw invalid(fieldName(path.map(String)), MESSAGE);
  }

  function fitsAt(key: string | number, value: unknown, own: boolean): boolean {
    path.push(key);
    const fitting = fits(value, own);
    path.pop();
    return fitting;
  }

  /** Recursive, to the depth limit of bodies. */
  function fits(value: unknown, own: boolean): boolean {
    if (typeof value === "string" && !own) refuseIfBad(value);
    if (typeof value !== "object" || value === null) return true;
    if (path.length === maxDepth) return false;
    if (Array.isArray(value)) return value.every((inner, index) => fitsAt(index, inner, own));
    const fields = value as Record<string, unknown>; // parsed from JSON
    return Object.keys(fields).every((key) => {
      const ownHere = own || (path.length === 0 && ownText.includes(key));
      // An invalid key cannot be named, so its object is.
      if (!ownHere) refuseIfBad(key);
      return fitsAt(key, fields[key], ownHere);
    });
  }

  return fits(root, false);
}

/** How errors name a field of a body: `env_vars.PATH`, `ssh_key_names.0`; `body` for the body itself. */
export function fieldName(path: readonly string[]): string {
  if (path.length === 0) return "body";
  const shown = path.map((part) => (part.length > 64 ? `${part.slice(0, 64)}…` : part));
  return shown.join(".").toWellFormed().replaceAll("\0", "\ufffd");
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
