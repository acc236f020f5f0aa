// The query of a request, read strictly: a malformed encoding is refused, not guessed at.
// Values stay text; validation.ts reads the ones that are declared as numbers or switches.

import { HttpRefusal } from "./errors/refusal.ts";
import { refuseText } from "./text.ts";

/** Parameters by name. One given several times is a list, which no operation takes. */
export type Query = Record<string, string | string[]>;

/** Throws HttpRefusal malformed-request, RentalError invalid-parameters. */
export function parseQuery(url: string): Query {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const found = new Map<string, string | string[]>();
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1));
    const refusal = refuseText(name, "query") ?? refuseText(value, name);
    if (refusal !== undefined) throw refusal;
    const before = found.get(name);
    found.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(found);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new HttpRefusal("malformed-request", { problem: "the query has a malformed percent encoding." });
  }
}
