// The query of a request, read strictly: a malformed encoding is rejected, not guessed at. Values stay text;
// validation.ts converts those declared as numbers or booleans.
// Invariant: the time it takes is linear in the length of the query, whatever it repeats.

import { HttpError } from "../errors/api-error.ts";
import { refuseText } from "./text.ts";

/** Parameters by name. One given several times is a list, which no operation accepts. */
export type Query = Record<string, string | string[]>;

/** No operation has a tenth of it. */
export const mostParameters = 100;

/** Throws HttpError malformed-request, RentalError invalid-parameters. */
export function parseQuery(url: string): Query {
  const start = url.indexOf("?");
  if (start === -1) return {};
  const found = new Map<string, string | string[]>();
  let count = 0;
  for (const pair of url.slice(start + 1).split("&")) {
    if (pair === "") continue;
    count += 1;
    if (count > mostParameters) throw malformed(`the query has more than ${mostParameters} parameters.`);
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1));
    const refusal = refuseText(name, "query") ?? refuseText(value, name);
    if (refusal !== undefined) throw refusal;
    const before = found.get(name);
    if (before === undefined) found.set(name, value);
    else if (typeof before === "string") found.set(name, [before, value]);
    else before.push(value);
  }
  return Object.fromEntries(found);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw malformed("the query has a malformed percent encoding.");
  }
}

function malformed(problem: string): HttpError {
  return new HttpError("malformed-request", { problem });
}
