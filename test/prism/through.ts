// A request through Prism, the validating proxy, where it stands in front of the service (npm run test:prism); otherwise
// straight to the service. Used by the client of the conformance suite.
//
// Prism passes on what its document allows, and puts an error of its own in the place of an answer that the document does
// not have: a violation, which fails the test. It refuses requests that the document does not allow before the service sees
// them; most are wrong on purpose, so they are sent again without it, and only one that the service then takes is a
// violation, unless it is one of the leniencies that docs/how-to/customers/use-generated-clients.md promises beyond the documents.

import { appendFileSync } from "node:fs";
import { expect, inject } from "vitest";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { type CallOptions, type CallResult, call } from "../support/http.ts";
import { upstreamHeader } from "./switchboard.ts";

export interface PrismProxies {
  /** The proxy of each interface. */
  readonly urls: Readonly<Record<InterfaceName, string>>;
  /** A file that gets a line for each request: its interface, and what became of it. */
  readonly tally: string;
}

type Fate = "checked" | "refused" | "lenient" | "unreadable" | "request violation" | "response violation";

/** One request to an operation below `base`, through the proxy of its interface where there is one. */
export async function callThrough(
  name: InterfaceName,
  base: string,
  method: string,
  path: string,
  options: CallOptions,
  prism: PrismProxies | undefined = inject("prism"),
): Promise<CallResult> {
  // A stream never ends, and Prism reads an answer to its end.
  if (prism === undefined || /\/stream\b/.test(path)) return call(method, `${base}${path}`, options);
  const tell = (fate: Fate) => appendFileSync(prism.tally, `${name}\t${fate}\n`);
  if (!isReadable(path, options.headers?.["content-type"])) {
    tell("unreadable");
    return call(method, `${base}${path}`, options);
  }
  if (options.headers?.["if-none-match"] !== undefined) {
    // The documents leave 304 to HTTP, and Prism knows what they list only.
    tell("lenient");
    return call(method, `${base}${path}`, options);
  }
  const headers = { ...jsonType(options.body), ...options.headers, [upstreamHeader]: base };
  const answer = await call(method, `${prism.urls[name]}${path}`, { ...options, headers });
  // The service gives every answer an id, Prism none.
  if (answer.headers.has("x-request-id")) {
    tell("checked");
    return answer;
  }
  if (answer.text.includes("errors#VIOLATIONS")) {
    tell("response violation");
    expect.fail(`${name}: ${method} ${path}: Prism says of the answer: ${answer.text}`);
  }
  expect(answer.status, `Prism failed by itself: ${method} ${path}: ${answer.text}`).toBeLessThan(500);
  const direct = await call(method, `${base}${path}`, options);
  if (direct.status >= 400) tell("refused");
  else if (isLeniency(answer.body)) tell("lenient");
  else {
    tell("request violation");
    expect.fail(`${name}: ${method} ${path}: the service takes it, and Prism says: ${answer.text}`);
  }
  return direct;
}

/**
 * Whether Prism refuses what docs/how-to/customers/use-generated-clients.md says that the service takes: a token in another spelling than
 * the documents' bearer, another Content-Type than JSON, a body where none is taken.
 */
function isLeniency(problem: unknown): boolean {
  const { type = "", validation = [] } = (problem ?? {}) as { type?: string; validation?: { code?: unknown }[] };
  return type.endsWith("#UNAUTHORIZED") || (validation.length > 0 && validation.every(({ code }) => code === 415));
}

/**
 * Prism 5.16 ends at a path whose percent encoding is malformed, mends such a query before it passes it on, and fails at a
 * Content-Type that is none.
 */
function isReadable(path: string, contentType = "text/plain"): boolean {
  try {
    decodeURIComponent(path);
  } catch {
    return false;
  }
  return /^[\w.+-]+\/[\w.+-]+\s*(;|$)/.test(contentType);
}

/** What fetch does not say by itself of a text. */
function jsonType(body: unknown): Readonly<Record<string, string>> {
  const plain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  return plain ? {} : { "content-type": "application/json" };
}

/** What a tally says, a line for each interface and one for all. */
export function counted(tally: string): string[] {
  const lines = tally.split("\n").filter((line) => line !== "");
  const words = (some: readonly string[]) => {
    const of = (fate: Fate) => some.filter((line) => line.endsWith(`\t${fate}`)).length;
    return (
      `${of("checked")} requests and their answers checked, ${of("response violation")} violations in answers, ` +
      `${of("request violation")} in requests that were taken; ${of("refused")} refused by Prism and by the service, ` +
      `${of("lenient")} taken as a promised leniency, ${of("unreadable")} that Prism cannot read`
    );
  };
  const byName = Map.groupBy(lines, (line) => line.split("\t")[0] ?? "");
  return [...[...byName].map(([name, some]) => `${name}: ${words(some)}`), `all: ${words(lines)}`];
}
