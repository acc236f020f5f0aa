// GET /metrics, in Prometheus' text format: on the main port for a token with the scope operator, and without a token
// on a port of its own where one is set (metrics_port). On the main port it has its own places (overload.ts), so it
// responds even under overload, and its own requests are limited too. It does not count toward the limit of its
// address, so that other clients behind that address cannot block a scraper: authorization limits requests without a
// valid token before any look-up, and the token's own limit all others.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Metrics } from "../../metrics/metrics.ts";
import type { Authorize } from "../auth/authorize.ts";

const path = "/metrics";

export function metricsRoute(server: FastifyInstance, { metrics, gate }: { metrics: Metrics; gate: Authorize }): void {
  server.get(
    path,
    {
      schema: { hide: true },
      config: { ownPlaces: true, uncounted: true },
      onRequest: (request, reply) => gate(request, reply, "see", "operator"),
    },
    async (_request, reply) =>
      reply
        .header("cache-control", "no-store")
        .type(metrics.contentType)
        .send(await metrics.text()),
  );
}

export interface MetricsPort {
  /** http://127.0.0.1:9464/metrics */
  readonly url: string;
  close(): Promise<void>;
}

/** Opens the port; 0 takes any free one. `host` is an address. Throws what listening throws. */
export async function openMetricsPort(metrics: Metrics, host: string, port: number): Promise<MetricsPort> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000, keepAliveTimeout: 75_000 });
  server.maxConnections = 100;
  server.on("request", async (request, response) => {
    const isAsked = request.url?.split("?", 1)[0] === path;
    if (!isAsked || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(isAsked ? 405 : 404, { connection: "close" }).end();
      return;
    }
    const text = await metrics.text();
    response.writeHead(200, { "content-type": metrics.contentType, "cache-control": "no-store" }).end(text);
  });
  server.listen({ host, port });
  await once(server, "listening");
  const { address, family, port: opened } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  return {
    url: `http://${family === "IPv6" ? `[${address}]` : address}:${opened}${path}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
