// How many requests are processed at once. More are rejected early, with 503 and Retry-After, before they cost a query:
// every accepted request is answered in limited time, whatever the load. Every request in progress waits for at most
// one database connection, so this limits that queue too. While the event loop is late, fewer are accepted.
//
// Not counted as in progress: a request whose body is still arriving, a response that its client is still reading, and
// a stream. None of them costs anything that others wait for, and a slow client could hold the place forever.
//
// Invariant: every request that entered leaves once, whatever happens to it. Used by server.ts, for all ports together.

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { EventLoop } from "../../metrics/event-loop.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { tokenIn } from "../auth/bearer.ts";
import { HttpError } from "../errors/api-error.ts";

declare module "fastify" {
  interface FastifyRequest {
    isUnderWay: boolean;
  }
  interface FastifyContextConfig {
    /** Answered even under overload, at next to no cost: what a supervisor checks then. */
    essential?: boolean;
    /** Has a few places of its own, so that it is answered even if all others are taken. */
    ownPlaces?: boolean;
    /** A stream: accepted like any other request, and not counted from then on. */
    longLived?: boolean;
  }
}

export interface Admission {
  /** Call it before the server's other hooks are added: a rejection should cost nothing. */
  guard(server: FastifyInstance): void;
}

/** A loop that is repeatedly this late is overloaded. A burst of 600 launches stays below. */
export const lateMs = 1000;
/** The part that requests with one token may take, so that a runaway client leaves places for others. */
const partOfOneToken = 3 / 4;
/** The part of the limit that is accepted while the loop is late. Never none: then the lag has another cause. */
const partWhenLate = 1 / 8;
/** How many places routes with their own places have. */
const ownPlaces = 8;

export function createAdmission(parts: {
  readonly most: number;
  readonly eventLoop: EventLoop;
  readonly metrics: Metrics;
  /** Whether the request's connection exceeds a limit. */
  readonly isExcess: (request: FastifyRequest) => boolean;
}): Admission {
  const { most, eventLoop, metrics, isExcess } = parts;
  const mostWhenLate = Math.max(1, Math.ceil(most * partWhenLate));
  const mostOfOne = Math.max(1, Math.floor(most * partOfOneToken));
  let underWay = 0;
  let inOwnPlaces = 0;
  /** Requests in progress, by token. */
  const ofToken = new Map<string, number>();
  metrics.onScrape(() => metrics.set("lessor_http_requests_under_way", {}, underWay));

  function enter(request: FastifyRequest): HttpError | undefined {
    if (request.isUnderWay || request.routeOptions.config.essential === true) return undefined;
    const reason = whyNot(request);
    if (reason !== undefined) {
      metrics.count("lessor_http_refused_total", { reason });
      return new HttpError("unavailable", { overloaded: true });
    }
    request.isUnderWay = true;
    if (hasOwnPlace(request)) {
      inOwnPlaces += 1;
      return undefined;
    }
    underWay += 1;
    const token = tokenOf(request);
    ofToken.set(token, (ofToken.get(token) ?? 0) + 1);
    return undefined;
  }

  function whyNot(request: FastifyRequest): string | undefined {
    if (hasOwnPlace(request)) return inOwnPlaces >= ownPlaces ? "own places" : undefined;
    if (underWay >= most) return "requests under way";
    if ((ofToken.get(tokenOf(request)) ?? 0) >= mostOfOne) return "requests of one token";
    if (underWay >= mostWhenLate && eventLoop.lagMs() > lateMs) return "event loop";
    return isExcess(request) ? "connections" : undefined;
  }

  function leave(request: FastifyRequest): void {
    if (!request.isUnderWay) return;
    request.isUnderWay = false;
    if (hasOwnPlace(request)) {
      inOwnPlaces -= 1;
      return;
    }
    underWay -= 1;
    const token = tokenOf(request);
    const others = (ofToken.get(token) ?? 1) - 1;
    if (others === 0) ofToken.delete(token);
    else ofToken.set(token, others);
  }

  return {
    guard(server) {
      server.decorateRequest("isUnderWay", false);
      // A connection that was cut for flooding: requests that the parser still finds in it are dropped.
      server.addHook("onRequest", (request, _reply, done) => done(isGone(request) ? nobodySees() : enter(request)));
      server.addHook("preParsing", (request, _reply, _payload, done) => {
        if (hasBody(request)) leave(request);
        done();
      });
      server.addHook("preValidation", (request, _reply, done) => {
        // Reads of clients that have disconnected are not worth a query.
        if (request.method === "GET" && isGone(request)) return done(nobodySees());
        if (request.routeOptions.config.longLived !== true) return done(enter(request));
        leave(request);
        done();
      });
      server.addHook("onSend", (request, _reply, _payload, done) => {
        leave(request);
        done();
      });
      // For responses sent another way. A disconnected client changes nothing: its request continues, and counts.
      server.addHook("onResponse", (request, _reply, done) => {
        leave(request);
        done();
      });
    },
  };
}

const isGone = (request: FastifyRequest) => request.raw.socket.destroyed;

/** For the log only: the client is gone. */
const nobodySees = () => new HttpError("request-timeout", {});

const hasOwnPlace = (request: FastifyRequest) => request.routeOptions.config.ownPlaces === true;

/** In any spelling. Whether the token exists is not known before a query; a console browser has a cookie. */
function tokenOf({ headers: { authorization, cookie = "" } }: FastifyRequest): string {
  if (authorization === undefined) return cookie;
  return tokenIn(authorization) ?? authorization;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
