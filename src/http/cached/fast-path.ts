// The short way of a read that is kept: a request like one that was answered before, by its header and address, is
// answered before Fastify sees it. Robots that poll all day take it.
//
// It decides nothing by itself. Every request has its token looked up, after it arrived, and with it what has changed; and
// it is answered here only if the token may pass, no limit is used up, and the kept answer still holds. Everything else
// takes the long way, which refuses, reads anew or fails in its own words. Used by ../server.ts, for each port.
//
// Invariants: it answers exactly as the long way would (test/conformance/kept-reads.test.ts); nothing waits here without
// bound: beyond the most that may, requests take the long way, where they are refused.

import type { IncomingMessage, ServerResponse } from "node:http";
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

/** A request that was answered here, for whoever counts and logs. */
export interface Answered {
  readonly way: FastPathEntry;
  readonly request: IncomingMessage;
  readonly requestId: string;
  /** Where it comes from. */
  readonly address: string;
  readonly status: 200 | 304;
  readonly milliseconds: number;
  readonly token: AuthenticatedToken;
}

export interface FastPathDependencies {
  readonly ways: FastPathIndex;
  readonly kept: CachedResponses;
  readonly ask: AskForToken;
  readonly limits: RateLimits["front"];
  readonly clientAddress: ClientAddress;
  readonly answered: (answered: Answered) => void;
  /** While it is true, everything takes the long way. */
  readonly isShut: (request: IncomingMessage) => boolean;
  /** How many may wait here at once. */
  readonly most: number;
  /** What was done for a request that takes the long way all the same. */
  readonly handedOn: Handoff;
  /** How long a connection is kept open without a request, as clients are told. */
  readonly keepAliveSeconds: number;
  /** Told of an error that nothing foresaw. */
  readonly failed: (error: unknown) => void;
}

/** What answers a request of node:http. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The handler that goes before `longWay`. */
export function fastPath(longWay: Handler, parts: FastPathDependencies): Handler {
  const { ways, kept, ask, limits, clientAddress, answered, isShut, most, handedOn, failed } = parts;
  const send = createSender(parts.keepAliveSeconds);
  let waiting = 0;

  function take(request: IncomingMessage, response: ServerResponse): void {
    const since = performance.now();
    const way = waiting < most && !isShut(request) ? ways.find(request) : undefined;
    const address = way === undefined ? "" : clientAddress(request);
    if (way === undefined || unclearHeaders(request) !== undefined || !limits.address(address)) {
      longWay(request, response);
      return;
    }
    waiting += 1;
    ask(way.tokenHash, (failure, token) => {
      waiting -= 1;
      try {
        const given = token === undefined ? undefined : answerTo(request, response, way, token);
        if (token !== undefined && given !== undefined) {
          answered({ way, request, address, ...given, milliseconds: performance.now() - since, token });
          return;
        }
        // Why it failed, where it did, the long way tells.
        handedOn.note(request, failure, token);
        longWay(request, response);
      } catch (error) {
        fail(response, error);
      }
    });
  }

  /** Answers the request, or gives undefined. */
  function answerTo(request: IncomingMessage, response: ServerResponse, way: FastPathEntry, token: AuthenticatedToken) {
    if (!mayPass(token, way) || isShut(request)) return undefined;
    const answer = kept.find(way.key, token.moment);
    if (answer === undefined) return undefined;
    const told = limits.token(token.principal.tokenId);
    if (told === undefined) return undefined;
    const requestId = requestIdOf(request);
    const status = send(request, response, answer, ["x-request-id", requestId, ...told]);
    return { requestId, status };
  }

  function fail(response: ServerResponse, error: unknown): void {
    failed(error);
    // What was not sent will not come any more.
    // By its socket: an answer that waits behind another has none of its own yet, and would wait for ever.
    response.req.socket.destroy();
  }

  return (request, response) => {
    // Of a connection that was cut: the parser goes on to the end of what it has, thousands of requests of a flood.
    if (request.socket.destroyed) return;
    try {
      take(request, response);
    } catch (error) {
      fail(response, error);
    }
  };
}

function mayPass(token: AuthenticatedToken, way: FastPathEntry): boolean {
  const { expired, revoked, accountStatus, principal, compatibilityVersion } = token;
  if (expired || revoked || accountStatus !== "active" || principal.accountId !== way.accountId) return false;
  // The kept answer has the shape of that version.
  if (compatibilityVersion !== way.compatibilityVersion) return false;
  return way.scopes.some((scope) => principal.scopes.has(scope));
}
