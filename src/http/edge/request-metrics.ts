// Counts each request when it has been answered, by interface and operation: names that the code gives, so that no client
// can make new series.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Cell } from "../../metrics/histogram.ts";
import type { Metrics, Tally } from "../../metrics/metrics.ts";
import type { Answered } from "../cached/fast-path.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Where a request is counted. Absent for what is no operation of an interface. */
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
  // What is no operation is known by the pattern of its route: health, documents, pages.
  const labels = { interface: config.operation?.interface ?? "none", operation: config.operation?.id ?? url };
  const status = `${Math.floor(reply.statusCode / 100)}xx`;
  metrics.count("lessor_http_requests_total", { ...labels, status });
  // A stream takes as long as its client likes.
  if (config.longLived !== true) {
    metrics.observe("lessor_http_request_duration_seconds", labels, reply.elapsedTime / 1000);
  }
  if (reply.statusCode === 429) metrics.count("lessor_http_refused_total", { reason: "rate limit" });
  if (reply.hasHeader("idempotency-replayed")) metrics.count("lessor_idempotency_replays_total", {});
}

/** For requests that were answered before Fastify saw them. What is the same for all of an operation is looked up once. */
export function answeredCount(metrics: Metrics): (answered: Answered) => void {
  const ofOperations = new WeakMap<Answered["way"]["operation"], Counting>();
  return ({ way: { operation }, status, milliseconds }) => {
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
  /** Answered 304. */
  readonly known: Tally;
  readonly durations: Cell;
}
