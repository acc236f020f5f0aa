// Counts each answered request by interface and operation: names from the code, so clients cannot create new series.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Cell } from "../../metrics/histogram.ts";
import type { Metrics, Tally } from "../../metrics/metrics.ts";
import type { Answered } from "../cached/fast-path.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Where a request is counted. Absent outside the operations of an interface. */
    operation?: { readonly interface: string; readonly id: string };
  }
}

export function countRequests(server: FastifyInstance, metrics: Metrics): void {
  server.addHook("onResponse", (request, reply, done) => {
    countRequest(metrics, request, reply);
    done();
  });
}

/** For requests that Fastify answers without running hooks. */
export function countRequest(metrics: Metrics, request: FastifyRequest, reply: FastifyReply): void {
  const { config, url = "unknown" } = request.routeOptions;
  // Other requests are counted by the pattern of their route: health, documents, pages.
  const labels = { interface: config.operation?.interface ?? "none", operation: config.operation?.id ?? url };
  const status = `${Math.floor(reply.statusCode / 100)}xx`;
  metrics.count("lessor_http_requests_total", { ...labels, status });
  // A stream lasts as long as its client wants.
  if (config.longLived !== true) {
    metrics.observe("lessor_http_request_duration_seconds", labels, reply.elapsedTime / 1000);
  }
  if (reply.statusCode === 429) metrics.count("lessor_http_refused_total", { reason: "rate limit" });
  if (reply.hasHeader("idempotency-replayed")) metrics.count("lessor_idempotency_replays_total", {});
}

/** For requests that were answered before Fastify saw them. What requests of an operation share is looked up once. */
export function answeredCount(metrics: Metrics): (answered: Answered) => void {
  const ofOperations = new WeakMap<Answered["entry"]["operation"], Counting>();
  return ({ entry: { operation }, status, milliseconds }) => {
    let counting = ofOperations.get(operation);
    if (counting === undefined) {
      const labels = { interface: operation.interface, operation: operation.id };
      counting = {
        given: metrics.tally("lessor_http_requests_total", { ...labels, status: "2xx" }),
        known: metrics.tally("lessor_http_requests_total", { ...labels, status: "3xx" }),
        durations: metrics.cell("lessor_http_request_duration_seconds", labels),
      };
      ofOperations.set(operation, counting);
    }
    if (status === 200) counting.given.count += 1;
    else counting.known.count += 1;
    counting.durations.observe(milliseconds / 1000);
  };
}

interface Counting {
  readonly given: Tally;
  readonly known: Tally;
  readonly durations: Cell;
}
