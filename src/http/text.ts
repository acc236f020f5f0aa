// Text that PostgreSQL and JSON readers can hold: no NUL and no lone surrogate, anywhere in a request.
// Invariant: what a route sees is free of both, so no string of a client can make a statement fail.
// Used for bodies (json-body.ts), path parameters and queries (operations.ts).

import { invalid, type RentalError } from "../rental/errors.ts";

/** How deeply a body may be nested. The deepest body that any operation takes has four levels. */
const maxDepth = 32;

const MESSAGE = "Must not contain NUL characters or lone surrogates.";

/** The refusal for a text that cannot be stored, or undefined. `field` names where it stands; the text is not repeated. */
export function refuseText(text: string, field: string): RentalError | undefined {
  return isStorable(text) ? undefined : invalid(field, MESSAGE);
}

/** Looks through a parsed body without recursion. Throws for bad text, naming the field; false when nested too deeply. */
export function checkTree(root: unknown): boolean {
  const rest: { value: unknown; path: readonly string[] }[] = [{ value: root, path: [] }];
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { value, path } = next;
    if (typeof value === "string") {
      const refusal = refuseText(value, fieldName(path));
      if (refusal !== undefined) throw refusal;
    } else if (typeof value === "object" && value !== null) {
      if (path.length === maxDepth) return false;
      for (const [key, inner] of Object.entries(value)) {
        // A bad key cannot be named, so the object that has it is.
        const refusal = refuseText(key, fieldName(path));
        if (refusal !== undefined) throw refusal;
        if (typeof inner === "string" || (typeof inner === "object" && inner !== null)) {
          rest.push({ value: inner, path: [...path, key] });
        }
      }
    }
  }
  return true;
}

/** How errors name a field of a body: `env_vars.PATH`, `ssh_key_names.0`; `body` for the body itself. */
export function fieldName(path: readonly string[]): string {
  if (path.length === 0) return "body";
  return path.map((part) => (part.length > 64 ? `${part.slice(0, 64).toWellFormed()}…` : part)).join(".");
}

function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}
