// The fast path of a cached read: a request with the header and address of an earlier one is answered before Fastify
// sees it. Clients that poll all day use it.
//
// It decides nothing by itself. Every request has its token looked up, after it arrived, and with it what has changed;
// and it is answered here only if the token is valid and has the scope, no limit is reached, and the cached response is
// current. All others take the full request path, which rejects, reads or fails. Used by ../server.ts, for each port.
//
// It is here for its speed: 2.8 times as many reads of one instance and 1.5 times as many lists as through Fastify
// (`npm run bench -- --quick --only read,list`, medians of four pairs).
//
// Invariants: it responds exactly as the full path would (test/conformance/cached-reads.test.ts); waiting here is
// limited: beyond the maximum, requests take the full path, which rejects them.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import type { AskForToken } from "../auth/token-lookup.ts";
import { unclearHeaders } from "../edge/clear-headers.ts";
import type { ClientAddress } from "../edge/client-address.ts";
import type { RateLimits } from "../edge/rate-limit.ts";
import { requestIdOf } from "../edge/request-id.ts";
import type { CachedResponses } from "./cached-responses.ts";
import type { FastPathEntry, FastPathIndex } from "./fast-path-index.ts";
import type { Handoff } from "./handoff.ts";
import { createSender } from "./sender.ts";

/** A request that was answered here, for metrics and logs. */
export interface Answered {
  readonly entry: FastPathEntry;
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** The client's address. */
  readonly address: string;
  readonly status: 200 | 304;
  readonly milliseconds: number;
  readonly token: AuthenticatedToken;
}

export interface FastPathDependencies {
  readonly fastPaths: FastPathIndex;
  readonly cached: CachedResponses;
  readonly ask: AskForToken;
  readonly limits: RateLimits["front"];
  readonly clientAddress: ClientAddress;
  readonly answered: (answered: Answered) => void;
  /** While true, all requests take the full path. */
  readonly isClosed: (request: IncomingMessage) => boolean;
  /** How many may wait here at once. */
  readonly most: number;
  /** Receives the results for requests that take the full path after all. */
  readonly handoff: Handoff;
  /** The keep-alive time announced to clients. */
  readonly keepAliveSeconds: number;
  /** Called with an unexpected error. */
  readonly failed: (error: unknown) => void;
}

/** A request handler of node:http. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Cached reads take the fast path: it replaces Fastify's handler, and passes on requests that it does not answer. */
export function installFastPath(
  server: FastifyInstance,
  parts: Omit<FastPathDependencies, "fastPaths" | "keepAliveSeconds">,
): void {
  const { server: http, fastPaths } = server;
  // The only listener so far.
  const [fullPath] = http.listeners("request") as Handler[];
  if (fullPath === undefined) throw new Error("BUG: Fastify does not listen for requests");
  http.removeListener("request", fullPath);
  http.prependListener(
    "request",
    fastPath(fullPath, { ...parts, fastPaths, keepAliveSeconds: Math.floor(http.keepAliveTimeout / 1000) }),
  );
}

/** The handler that goes before `fullPath`. */
export function fastPath(fullPath: Handler, parts: FastPathDependencies): Handler {
  const { fastPaths, cached, ask, limits, clientAddress, answered, isClosed, most, handoff, failed } = parts;
  const send = createSender(parts.keepAliveSeconds);
  let waiting = 0;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const since = performance.now();
    const entry = waiting < most && !isClosed(request) ? fastPaths.find(request) : undefined;
    const address = entry === undefined ? "" : clientAddress(request);
    if (entry === undefined || unclearHeaders(request) !== undefined || !limits.address(address)) {
      fullPath(request, response);
      return;
    }
    waiting += 1;
    ask(entry.tokenHash, (failure, token) => {
      waiting -= 1;
      try {
        const given = token === undefined ? undefined : answerTo(request, response, entry, token);
        if (token !== undefined && given !== undefined) {
          answered({ entry, request, address, ...given, milliseconds: performance.now() - since, token });
          return;
        }
        // The full path reports a failure.
        handoff.note(request, failure, token);
        fullPath(request, response);
      } catch (error) {
        fail(response, error);
      }
    });
  }

  /** Answers the request, or returns undefined. */
  function answerTo(
    request: IncomingMessage,
    response: ServerResponse,
    entry: FastPathEntry,
    token: AuthenticatedToken,
  ) {
    if (!mayPass(token, entry) || isClosed(request)) return undefined;
    const answer = cached.find(entry.key, token.moment);
    if (answer === undefined) return undefined;
    const told = limits.token(token.principal.tokenId);
    if (told === undefined) return undefined;
    const requestId = requestIdOf(request);
    const status = send(request, response, answer, ["x-request-id", requestId, ...told]);
    return { requestId, status };
  }

  function fail(response: ServerResponse, error: unknown): void {
    failed(error);
    // The rest of the response will never be sent. By the request's socket: a response queued behind another has none
    // yet, and would wait forever.
    response.req.socket.destroy();
  }

  return (request, response) => {
    // Of a connection that was cut: the parser continues to the end of its data, thousands of requests in a flood.
    if (request.socket.destroyed) return;
    try {
      take(request, response);
    } catch (error) {
      fail(response, error);
    }
  };
}

function mayPass(token: AuthenticatedToken, entry: FastPathEntry): boolean {
  const { expired, revoked, accountStatus, principal, compatibilityVersion } = token;
  if (expired || revoked || accountStatus !== "active" || principal.accountId !== entry.accountId) return false;
  // Another role has other rights.
  if ((principal.person?.role ?? null) !== entry.role) return false;
  // The cached response has the shape of that version.
  if (compatibilityVersion !== entry.compatibilityVersion) return false;
  return entry.scopes.some((scope) => principal.scopes.has(scope));
}
