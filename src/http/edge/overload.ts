// How many requests are worked on at once. What comes beyond that is refused early, with 503 and Retry-After, before it
// costs a query: whoever is let in is answered in bounded time, however many ask. Every request under way waits for at
// most one database connection, so this bounds that queue too. While the event loop is late, fewer are let in.
//
// Not under way is a request whose body is still coming, one whose answer is only still being read by its client, and a
// stream: none of them costs anything that others wait for, and a slow client could hold the place for ever.
//
// Invariant: every request that entered leaves once, whatever becomes of it. Used by server.ts, for all ports together.

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
    /** Answered also when there are too many requests, and costs next to nothing: what a supervisor looks at then. */
    essential?: boolean;
    /** Has a few places of its own, so that it is answered also when there are too many of the others. */
    ownPlaces?: boolean;
    /** A stream: it is let in like any other request, and not counted from then on. */
    longLived?: boolean;
  }
}

export interface Admission {
  /** Call it before the other hooks of the server are added: what is refused should cost nothing. */
  guard(server: FastifyInstance): void;
}

/** A loop that is as late as this, again and again, has more to do than it can. A burst of 600 launches stays below. */
export const lateMs = 1000;
/** The part that requests with one token may take, so that one client that runs wild leaves room for the others. */
const partOfOneToken = 3 / 4;
/** The part of the bound that is let in while the loop is late. Some are always: with none the lag has another reason. */
const partWhenLate = 1 / 8;
/** The places of routes that have their own. */
const ownPlaces = 8;

export function createAdmission(parts: {
  /** limits.requests_under_way. */
  readonly most: number;
  readonly eventLoop: EventLoop;
  readonly metrics: Metrics;
  /** Whether the request came by a connection that is one too many. */
  readonly isExcess: (request: FastifyRequest) => boolean;
}): Admission {
  const { most, eventLoop, metrics, isExcess } = parts;
  const mostWhenLate = Math.max(1, Math.ceil(most * partWhenLate));
  const mostOfOne = Math.max(1, Math.floor(most * partOfOneToken));
  let underWay = 0;
  let inOwnPlaces = 0;
  /** By the token of requests under way. */
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
      // A connection that was cut as flooding: what the parser still finds of it is not worth anything.
      server.addHook("onRequest", (request, _reply, done) => done(isGone(request) ? nobodySees() : enter(request)));
      server.addHook("preParsing", (request, _reply, _payload, done) => {
        if (hasBody(request)) leave(request);
        done();
      });
      server.addHook("preValidation", (request, _reply, done) => {
        // Reads of clients that have gone meanwhile are not worth a query.
        if (request.method === "GET" && isGone(request)) return done(nobodySees());
        if (request.routeOptions.config.longLived !== true) return done(enter(request));
        leave(request);
        done();
      });
      server.addHook("onSend", (request, _reply, _payload, done) => {
        leave(request);
        done();
      });
      // Where an answer took another way out. A client that is gone changes nothing: its work goes on, and counts.
      server.addHook("onResponse", (request, _reply, done) => {
        leave(request);
        done();
      });
    },
  };
}

const isGone = (request: FastifyRequest) => request.raw.socket.destroyed;

/** For the log. */
const nobodySees = () => new HttpError("request-timeout", {});

const hasOwnPlace = (request: FastifyRequest) => request.routeOptions.config.ownPlaces === true;

/** However it is spelled. Whether there is such a token is not known before a query; a browser of the console has a cookie. */
function tokenOf({ headers: { authorization, cookie = "" } }: FastifyRequest): string {
  if (authorization === undefined) return cookie;
  return tokenIn(authorization) ?? authorization;
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
