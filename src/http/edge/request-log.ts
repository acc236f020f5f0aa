// One line for each answered request. Route patterns, not paths, and no query: both may hold private data.

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import { quickLines } from "../../log.ts";
import type { Principal } from "../../rental/service.ts";
import type { Answered } from "../cached/fast-path.ts";
import type { FastPathEntry } from "../cached/fast-path-index.ts";

export function logRequests(server: FastifyInstance, log: Logger): void {
  server.addHook("onResponse", async (request, reply) => logRequest(log, request, reply));
}

/** For requests that Fastify answers without running hooks. */
export function logRequest(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { id: requestId, clientAddress: address } = request;
  log.info(
    {
      method: request.method,
      route: request.routeOptions.url ?? null,
      ...ids(request.principal),
      ...outcome({ requestId, status: reply.statusCode, address, milliseconds: reply.elapsedTime }),
    },
    "request",
  );
}

/** For requests that were answered before Fastify saw them. What requests of a fast path share is serialized once. */
export function answeredLog(log: Logger): (answered: Answered) => void {
  const ofWays = new WeakMap<FastPathEntry, (fields: string) => void>();
  return ({ entry, token, requestId, status, address, milliseconds }) => {
    let write = ofWays.get(entry);
    if (write === undefined) {
      write = quickLines(log, { method: "GET", route: entry.route, ...ids(token.principal) }, "request");
      ofWays.set(entry, write);
    }
    // An id has only harmless characters (request-id.ts).
    const fields = `,"request_id":"${requestId}","status":${status},"address":${JSON.stringify(address)}`;
    write(`${fields},"ms":${rounded(milliseconds)}`);
  };
}

interface Outcome {
  readonly requestId: string;
  readonly status: number;
  readonly address: string;
  readonly milliseconds: number;
}

function outcome({ requestId, status, address, milliseconds }: Outcome) {
  return { request_id: requestId, status, address, ms: rounded(milliseconds) };
}

const rounded = (milliseconds: number) => Math.round(milliseconds * 100) / 100;

function ids(principal: Pick<Principal, "accountId" | "tokenId"> | null) {
  return { account_id: principal?.accountId, token_id: principal?.tokenId };
}
