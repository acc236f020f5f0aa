// POST /mcp on the main port: the MCP server (mcp/) over HTTP, for agents, with the same tokens. It has no sessions:
// each request has its own server, so any replica answers any request. Its tools call the interfaces of this port with
// the token of the request, with the same authorization, limits, audit log and metrics as over the network.

import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Mount } from "../../config/interfaces.ts";
import { loadOverHttp } from "../../mcp/load.ts";
import type { McpOptions } from "../../mcp/server.ts";
import { type ServiceClient, ServiceError, serviceError, type ToolInterface } from "../../mcp/service-client.ts";
import { type Authorize, principalOf } from "../auth/authorize.ts";
import { HttpError } from "../errors/api-error.ts";

export const mcpPath = "/mcp";

/** The largest message: calls of tools are short, and the longest launch command fits. */
const mostMessageBytes = 64 * 1024;
/** Properties and items of a message together. Validating many more would take long. */
const mostEntries = 1000;

/** Open calls of one account on this replica. Some wait for ten minutes, and keep their bodies in memory. */
const mostOpen = 32;

export interface McpParts extends Required<McpOptions> {
  readonly gate: Authorize;
  /** Of this port. */
  readonly mounts: readonly Mount[];
}

export function mcpRoute(server: FastifyInstance, { gate, mounts, version, closing }: McpParts): void {
  /** By account. */
  const open = new Map<string, number>();
  server.post(
    mcpPath,
    {
      // Any JSON: the protocol validates it.
      schema: { hide: true, body: Type.Unknown() },
      config: { longLived: true, mostBodyBytes: mostMessageBytes },
      onRequest: (request, reply) => gate(request, reply, "see", "read", "write", "operator"),
    },
    async (request, reply) => {
      // A thousand tool calls in one body would be admitted as one request.
      if (Array.isArray(request.body))
        throw new HttpError("malformed-body", { problem: "it contains more than one message." });
      if (hasMoreEntriesThan(mostEntries, request.body))
        throw new HttpError("malformed-body", { problem: `it has more than ${mostEntries} properties and items.` });
      const { accountId } = principalOf(request);
      const before = open.get(accountId) ?? 0;
      if (before >= mostOpen) throw new HttpError("unavailable", { overloaded: true });
      open.set(accountId, before + 1);
      const gone = new AbortController();
      reply.raw.once("close", () => {
        const others = (open.get(accountId) ?? 1) - 1;
        if (others === 0) open.delete(accountId);
        else open.set(accountId, others);
        gone.abort();
      });
      const { answerOverHttp } = await loadOverHttp();
      const service = serviceWithin(server, mounts, request);
      const options = { version, closing, gone: gone.signal };
      const answer = await answerOverHttp(service, asWebRequest(request), request.body, options);
      reply.code(answer.status).headers(Object.fromEntries(answer.headers)).header("cache-control", "no-store");
      // Node sends headers with the first piece of a body, which comes late for a call that waits.
      reply.raw.once("pipe", () => reply.raw.flushHeaders());
      // Node's type of the same stream.
      return answer.body === null ? reply.send() : reply.send(Readable.fromWeb(answer.body as ReadableStream));
    },
  );
}

/** Whether a parsed body has more properties and items than this, at any depth. Stops counting there. */
function hasMoreEntriesThan(most: number, body: unknown): boolean {
  const open: unknown[] = [body];
  let count = 0;
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    const entries: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += entries.length;
    if (count > most) return true;
    open.push(...entries);
  }
  return false;
}

function asWebRequest(request: FastifyRequest): Request {
  const headers = new Headers({ "content-type": "application/json" });
  for (const name of ["accept", "mcp-protocol-version", "mcp-session-id", "last-event-id"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  return new Request(`http://localhost${mcpPath}`, { method: "POST", headers });
}

/** The interfaces of this port, called with the token and address of `request`. */
function serviceWithin(server: FastifyInstance, mounts: readonly Mount[], request: FastifyRequest): ServiceClient {
  return {
    async call({ interface: name, method, path, body, idempotencyKey }) {
      const mount = mountOf(mounts, name);
      const answer = await server.inject({
        method,
        url: `${mount.prefix}${path}`,
        remoteAddress: request.clientAddress,
        headers: {
          authorization: request.headers.authorization ?? "",
          ...(mount.hostName !== undefined && { host: mount.hostName }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        },
        ...(body !== undefined && { payload: JSON.stringify(body) }),
      });
      const parsed: unknown = answer.payload === "" ? undefined : JSON.parse(answer.payload);
      if (answer.statusCode >= 300) throw serviceError(answer.statusCode, parsed);
      return typeof parsed === "object" && parsed !== null && "data" in parsed ? parsed.data : undefined;
    },
  };
}

function mountOf(mounts: readonly Mount[], name: ToolInterface): Mount {
  const mount = mounts.find((one) => one.interface === name);
  if (mount !== undefined) return mount;
  throw new ServiceError({ message: `This service does not offer its ${name} interface on this port.` });
}
