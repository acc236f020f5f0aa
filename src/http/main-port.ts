// What only the main port serves besides the interfaces: metrics, the MCP server, and webhooks of the payment provider.

import type { FastifyInstance } from "fastify";
import type { Listener } from "../config/interfaces.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { HttpContext } from "./api/context.ts";
import { metricsRoute } from "./edge/metrics-endpoint.ts";
import { mcpRoute } from "./mcp/endpoint.ts";
import { paymentWebhookRoute } from "./payments/webhook.ts";

export interface MainPortParts {
  readonly context: HttpContext;
  readonly metrics: Metrics;
  readonly listener: Listener;
  /** The program's version, for MCP clients. */
  readonly version: string;
}

export function mainPortRoutes(server: FastifyInstance, { context, metrics, listener, version }: MainPortParts): void {
  const { gate, closing, payments, failures } = context;
  metricsRoute(server, { metrics, gate });
  mcpRoute(server, { gate, mounts: listener.mounts, version, closing });
  if (payments !== undefined) paymentWebhookRoute(server, { payments, failures });
}
