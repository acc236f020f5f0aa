// One line for each request, when it has been answered. Route patterns, not paths, and no query: both may hold what is
// nobody's business.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";

export function logRequests(server: FastifyInstance, log: Logger): void {
  server.addHook("onResponse", async (request, reply) => logRequest(log, request, reply));
}

/** For requests that Fastify answers without running hooks. */
export function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  log.info(
    {
      request_id: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 100) / 100,
      account_id: request.tenant?.accountId,
      token_id: request.tenant?.tokenId,
    },
    "request",
  );
}
