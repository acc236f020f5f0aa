// The HTTP room as one thing: opens the configured ports, mounts the interfaces on them, and drains them at the end.
// Everything that holds for every request of every interface is set up here, once for each port: leniency in paths and
// bodies, request ids, the one error body, the log, health. Used by src/server.ts and by tests.

import { lookup } from "node:dns/promises";
import type { AddressInfo } from "node:net";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import type { Config, InterfaceName, Listener } from "../config.ts";
import type { Database } from "../database/connect.ts";
import type { HostWorlds } from "../rental/capacity/host-world.ts";
import type { Service } from "../rental/service.ts";
import { createGate } from "./auth/gate.ts";
import { createTokenLookup } from "./auth/token-lookup.ts";
import { createTokenUse } from "./auth/token-use.ts";
import { trackConnections } from "./connections.ts";
import type { HttpContext } from "./context.ts";
import { control } from "./control/index.ts";
import { direct } from "./direct/index.ts";
import { createConnectionErrorHandler, rawAnswer } from "./errors/connection.ts";
import { createErrorHandler } from "./errors/handler.ts";
import { HttpRefusal } from "./errors/refusal.ts";
import { healthRoutes, type Readiness } from "./health.ts";
import { declaresMoreThan, takeJsonBodies } from "./json-body.ts";
import { marketplace } from "./marketplace/index.ts";
import { normalizeUrl } from "./paths.ts";
import { parseQuery } from "./query.ts";
import { createRateLimit } from "./rate-limit.ts";
import { reference } from "./reference/index.ts";
import { requestIdOf } from "./request-id.ts";
import { logRequest, logRequests } from "./request-log.ts";
import { refuseText } from "./text.ts";
import { answerUnknownPaths } from "./unknown-paths.ts";
import { discardUnreadBodies } from "./unread-bodies.ts";
import { mountVariant, type Variant } from "./variant.ts";
import { virtualHost } from "./virtual-host.ts";

/** The interfaces there are. */
export const variants: Readonly<Record<InterfaceName, Variant>> = { marketplace, direct, reference, control };

export interface HttpParts {
  readonly config: HttpContext["config"];
  readonly db: Database;
  readonly service: Service;
  readonly log: Logger;
  readonly readiness: Readiness;
  /** Without any, hosts cannot be declared. */
  readonly hostWorlds?: HostWorlds;
  /** How long requests under way may take to finish when the server stops, in seconds. 8. */
  readonly drainSeconds?: number;
}

export interface Http {
  /** Opens all ports, or none. The address of each listener by its name, such as "main": http://127.0.0.1:8080 */
  listen(): Promise<ReadonlyMap<string, string>>;
  /** Takes no new connections, ends idle ones, and waits for the requests under way. */
  close(): Promise<void>;
}

/** Nothing is opened before `listen`. */
export async function createHttp(parts: HttpParts): Promise<Http> {
  const { config, db, service, log } = parts;
  const closing = new AbortController();
  const tokenUse = createTokenUse(db, log);
  const servers = config.listeners.map((listener) => {
    const server = createServer(config, log, closing.signal);
    return { listener, server, connections: trackConnections(server.server) };
  });
  const [main] = servers;
  if (main === undefined) throw new Error("BUG: there is always a main listener");
  const gate = createGate({
    lookup: createTokenLookup(db),
    rateLimit: await createRateLimit(main.server, config.limits.requestsPerMinutePerToken),
    noteUse: tokenUse.note,
  });
  const context: HttpContext = {
    config,
    db,
    service,
    log,
    gate,
    hostWorlds: parts.hostWorlds ?? new Map(),
    closing: closing.signal,
  };
  const isReady = () => parts.readiness.ready && !closing.signal.aborted;

  for (const { listener, server } of servers) {
    healthRoutes(server, { db, isReady });
    for (const mount of listener.mounts) await mountVariant(server, variants[mount.interface], mount, context);
  }

  async function close(): Promise<void> {
    closing.abort();
    for (const { connections } of servers) connections.endIdle();
    const impatience = setTimeout(
      () => {
        for (const { server } of servers) server.server.closeAllConnections();
      },
      (parts.drainSeconds ?? 8) * 1000,
    );
    await Promise.all(servers.map(({ server }) => server.close()));
    clearTimeout(impatience);
    await tokenUse.close();
  }

  return {
    close,
    async listen() {
      const addresses = new Map<string, string>();
      try {
        for (const { listener, server } of servers) addresses.set(listener.name, await open(server, listener, config));
      } catch (error) {
        await close();
        throw error;
      }
      return addresses;
    },
  };
}

async function open(server: FastifyInstance, listener: Listener, config: Pick<Config, "host">): Promise<string> {
  // One address, also for "localhost": for that name Fastify would open a second server, which none of our handlers know.
  const { address: host } = await lookup(config.host);
  await server.listen({ host, port: listener.port });
  const { address, family, port } = server.server.address() as AddressInfo; // it listens on a port, not on a pipe
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** One port, with everything that holds for all its requests. */
function createServer(config: HttpParts["config"], log: Logger, closing: AbortSignal): FastifyInstance {
  const handleError = createErrorHandler(log);
  const loggerInstance: FastifyBaseLogger = log;
  const server: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // Our own line has the request's id, so no request needs a logger of its own.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    bodyLimit: config.limits.bodyBytes,
    // A client has one minute for a whole request, and 20 seconds of it for the headers.
    requestTimeout: 60_000,
    http: { headersTimeout: 20_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
    // Who neither sends nor reads for two minutes is gone.
    connectionTimeout: 120_000,
    // Longer than the 60 seconds of common load balancers, so that they, not we, end a connection.
    keepAliveTimeout: 72_000,
    // While draining, requests on open connections are still served, and their connections end with the answer.
    return503OnClosing: false,
    rewriteUrl: (request) => normalizeUrl(request.url ?? "/"),
    frameworkErrors: (error, request, reply) => {
      handleError(error, request, reply);
      logRequest(log, request, reply);
    },
    clientErrorHandler: createConnectionErrorHandler(log),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 4096,
      constraints: { virtualHost },
      // Read strictly in preValidation below; this one would guess.
      querystringParser: () => ({}),
    },
  });
  server.decorateRequest("tenant", null);
  server.setErrorHandler(handleError);
  server.setSerializerCompiler(() => (value) => JSON.stringify(value));
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  server.addHook("onSend", async (_request, reply) => {
    if (closing.aborted || !reply.raw.shouldKeepAlive) reply.header("connection", "close");
  });
  server.addHook("preValidation", async (request) => {
    if (request.is404) return;
    for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
      const refusal = refuseText(value, name);
      if (refusal !== undefined) throw refusal;
    }
    request.query = parseQuery(request.url);
  });
  takeJsonBodies(server, config.limits.bodyBytes);
  logRequests(server, log);
  answerUnknownPaths(server);
  answerOddities(server, config.limits.bodyBytes);
  discardUnreadBodies(server.server);
  return server;
}

/** What Node would otherwise answer by itself, without a body, or not at all. */
function answerOddities(server: FastifyInstance, limitBytes: number): void {
  server.server.on("checkContinue", (request, response) => {
    // Who is not given leave to send that much need not send it, so what comes next could be anything.
    if (declaresMoreThan(limitBytes, request)) response.shouldKeepAlive = false;
    else response.writeContinue();
    server.server.emit("request", request, response);
  });
  server.server.on("checkExpectation", (request, response) => void server.server.emit("request", request, response));
  server.server.on("connect", (request, socket) => {
    const refusal = new HttpRefusal("method-not-allowed", { allowed: ["GET"] });
    socket.end(rawAnswer(refusal, requestIdOf(request)));
  });
}
