// The HTTP server: opens the configured ports, mounts the interfaces on them, and drains them at the end. What applies
// to every request of every interface is set up here, once for each port: leniency in paths and bodies, request ids,
// the one error body, the log, health. Used by composition.ts.

import dns from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { Logger } from "pino";
import type { InterfaceName, Listener } from "../config/interfaces.ts";
import type { Config } from "../config.ts";
import type { Database } from "../database/connect.ts";
import type { StorageState } from "../database/storage.ts";
import type { Encryption } from "../encryption/encryption.ts";
import type { Fencing } from "../fencing/fence.ts";
import { showDatabase } from "../metrics/database-gauges.ts";
import { showPool } from "../metrics/database-pool.ts";
import { watchEventLoop } from "../metrics/event-loop.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { authenticateSessions, recordSessionUse } from "../rental/accounts/console-sessions.ts";
import type { HostRegistries } from "../rental/capacity/host-registry.ts";
import type { Service } from "../rental/service.ts";
import { hashToken } from "../secrets/token.ts";
import type { DemoLinks, HttpContext } from "./api/context.ts";
import { declaredChanges } from "./api/declared-changes.ts";
import { createMachines, type MachineEngine } from "./api/machines.ts";
import { validatorCompiler } from "./api/validation.ts";
import { mountVariant, type Variant } from "./api/variant.ts";
import { createAuthenticate } from "./auth/authenticate.ts";
import { createAuthorize, sessionOf } from "./auth/authorize.ts";
import { createRecentlyVerifiedTokens, notesOften } from "./auth/recent-tokens.ts";
import type { Holder } from "./auth/revalidation.ts";
import { createAsk, createAskForToken, createTokenLookup } from "./auth/token-lookup.ts";
import { createTokenUse } from "./auth/token-use.ts";
import { CachedResponses } from "./cached/cached-responses.ts";
import { type Answered, installFastPath } from "./cached/fast-path.ts";
import { FastPathIndex } from "./cached/fast-path-index.ts";
import { Handoff } from "./cached/handoff.ts";
import { consoleOperations } from "./console/audit.ts";
import { consoleRoutes } from "./console/console-routes.ts";
import { control, ownAccount } from "./control/interface.ts";
import type { Simulator } from "./control/simulator/simulator.ts";
import { direct } from "./direct/interface.ts";
import { type BodyMemory, createBodyMemory } from "./edge/body-memory.ts";
import { BodyRate } from "./edge/body-rate.ts";
import { unclearHeaders } from "./edge/clear-headers.ts";
import { addressGroup, createClientAddress, createIsTrustedProxy } from "./edge/client-address.ts";
import { Connections } from "./edge/connections.ts";
import { createPing, healthRoutes, type Readiness } from "./edge/health.ts";
import { declaresMoreThan, mostBodyBytes, takeJsonBodies } from "./edge/json-body.ts";
import { type MetricsPort, openMetricsPort } from "./edge/metrics-endpoint.ts";
import { connectionsThatFit } from "./edge/open-files.ts";
import { type Admission, createAdmission, lateMs } from "./edge/overload.ts";
import { ownCompilers } from "./edge/own-compilers.ts";
import { createOwnOrigin } from "./edge/own-origin.ts";
import { normalizeUrl } from "./edge/paths.ts";
import { parseQuery } from "./edge/query.ts";
import { createRateLimits } from "./edge/rate-limit.ts";
import { requestIdOf } from "./edge/request-id.ts";
import { answeredLog, logRequest, logRequests } from "./edge/request-log.ts";
import { answeredCount, countRequest, countRequests } from "./edge/request-metrics.ts";
import { limitSmallPieces } from "./edge/small-pieces.ts";
import { refuseText } from "./edge/text.ts";
import { respondToUnknownPaths } from "./edge/unknown-paths.ts";
import { discardUnreadBodies, type UnreadBodySettings } from "./edge/unread-bodies.ts";
import { virtualHost } from "./edge/virtual-host.ts";
import { HttpError } from "./errors/api-error.ts";
import { createConnectionErrorHandler, rawAnswer } from "./errors/connection.ts";
import { createErrorHandler } from "./errors/handler.ts";
import { helpRoutes } from "./help/help-routes.ts";
import { lambda } from "./lambda/interface.ts";
import { Launches } from "./launching/launches.ts";
import { EventHub, type HubSettings } from "./live/streams/hub.ts";
import { type TerminalSettings, Terminals } from "./live/terminals/terminals.ts";
import { asksForWebSocket, takeUpgrades } from "./live/terminals/upgrades.ts";
import { mainPortRoutes } from "./main-port.ts";
import { marketplace } from "./marketplace/interface.ts";
import { reference } from "./reference/interface.ts";

/** All interfaces. */
export const variants: Readonly<Record<InterfaceName, Variant>> = { marketplace, direct, reference, lambda, control };

export interface HttpParts {
  readonly config: HttpContext["config"];
  readonly db: Database;
  /** For token look-ups, with its own connections. */
  readonly lookUpDb: Database;
  /** For the connection that listens for events. */
  readonly databaseUrl: string;
  /** The limits of streams, terminals and unread bodies, for tests. */
  readonly streams?: Partial<HubSettings>;
  readonly terminals?: Partial<TerminalSettings>;
  readonly unreadBodies?: Partial<UnreadBodySettings>;
  readonly service: Service;
  readonly log: Logger;
  readonly readiness: Readiness;
  /** Where hosts can be registered, by the name of the engine. */
  readonly hostRegistries: HostRegistries;
  /** The simulated engine, where there is one. */
  readonly simulator?: Simulator | undefined;
  /** Shows sign-in links instead of sending them. */
  readonly demoLinks?: DemoLinks | undefined;
  /** Turns hosts off. */
  readonly fencing: Fencing;
  /** Default: no payments are taken. */
  readonly payments?: HttpContext["payments"];
  /** Engines by name. */
  readonly engines: ReadonlyMap<string, MachineEngine>;
  readonly encryption: Encryption;
  /** How long requests in progress may take to finish when the server stops, in seconds. */
  readonly drainSeconds: number;
  /** How long an open connection without a request may send one more when the server stops, in seconds. */
  readonly idleGraceSeconds: number;
  /** The directory of the built web console; default: where the build puts it. */
  readonly consoleDirectory?: string;
  /** The program's version, for MCP clients. */
  readonly version: string;
  /** Whether the database has space to write. */
  readonly storage: StorageState;
  /** Counts requests, and is shown by GET /metrics. */
  readonly metrics: Metrics;
}

export interface Http {
  /**
   * Opens all ports, or none. Returns the address of each listener by its name, such as "main": http://127.0.0.1:8080;
   * and of the metrics' own port, if there is one, as "metrics".
   */
  listen(): Promise<ReadonlyMap<string, string>>;
  /** Accepts no new connections, closes idle ones, and waits for the requests in progress: none is cut. */
  close(): Promise<void>;
}

/** Opens nothing before `listen`. */
export async function createHttp(parts: HttpParts): Promise<Http> {
  const { config, db, service, log, metrics } = parts;
  const closing = new AbortController();
  const tokenUse = createTokenUse(db, log);
  const sessionUse = createTokenUse(db, log, recordSessionUse);
  const eventLoop = watchEventLoop(metrics);
  const databaseGauges = showDatabase(metrics, db, (error) => log.warn({ err: error }, "cannot read metrics"));
  showPool(metrics, db);
  const isTrustedProxy = createIsTrustedProxy(config.trustedProxies);
  const connections = new Connections({
    most: Math.min(config.limits.connections, connectionsThatFit()),
    mostPerAddress: config.limits.connectionsPerAddress,
    addressOf: ({ remoteAddress = "" }) => (isTrustedProxy(remoteAddress) ? undefined : addressGroup(remoteAddress)),
    onEnded: () => metrics.count("lessor_http_connections_ended_total", {}),
  });
  metrics.onScrape(() => metrics.set("lessor_http_connections", {}, connections.open));
  const admission = createAdmission({
    most: config.limits.requestsUnderWay,
    eventLoop,
    metrics,
    isExcess: (request) => connections.isExcess(request.raw.socket),
  });
  const bodyRate = new BodyRate();
  const bodyMemory = createBodyMemory();
  const { storage } = parts;
  const shared: Shared = { closing: closing.signal, metrics, admission, bodyMemory, bodyRate, connections, storage };
  const servers = config.listeners.map((listener) => {
    const server = createServer(config, log, shared);
    connections.watch(server.server);
    bodyRate.watch(server.server);
    discardUnreadBodies(server.server, parts.unreadBodies);
    return { listener, server };
  });
  const [main] = servers;
  if (main === undefined) throw new Error("BUG: there is always a main listener");
  const rateLimits = createRateLimits(config.limits);
  const knownGood = createRecentlyVerifiedTokens();
  const noteGood = notesOften(knownGood);
  const handoff = new Handoff();
  const { lookUpDb } = parts;
  const ask = createAskForToken(lookUpDb);
  const noteVerified = ({ socket }: IncomingMessage) => connections.verified(socket);
  const authenticate = createAuthenticate({ rateLimits, knownGood, noteVerified });
  const ownOrigin = createOwnOrigin(config.trustedProxies);
  const lookup = createTokenLookup(ask);
  const gate = createAuthorize({
    authenticate,
    lookup,
    lookUpSession: createTokenLookup(createAsk(lookUpDb, authenticateSessions)),
    ownOrigin,
    countForToken: rateLimits.token,
    noteUse: tokenUse.note,
    noteSessionUse: sessionUse.note,
    handoff,
  });
  const { databaseUrl, streams = {} } = parts;
  const eventHub = new EventHub({ db, databaseUrl, log, closing: closing.signal, settings: streams });
  const [changes, launchFields]: [string[], string[]] = [[], []];
  const cached = new CachedResponses();
  const machines = createMachines(parts.engines, log);
  const noteTyped = ({ tokenId, sessionId }: Holder) => {
    tokenUse.note(tokenId);
    if (sessionId !== null) sessionUse.note(sessionId);
  };
  const terminals = new Terminals({
    ...{ db, machines, log, closing: closing.signal, noteUse: noteTyped },
    settings: parts.terminals ?? {},
  });
  metrics.onScrape(() => metrics.set("lessor_http_terminals", {}, terminals.open));
  const context: HttpContext = {
    config,
    db,
    service,
    log,
    gate,
    hasSession: (request) => sessionOf(request, ownOrigin) !== undefined,
    failures: rateLimits,
    demoLinks: parts.demoLinks,
    hostRegistries: parts.hostRegistries,
    simulator: parts.simulator,
    fencing: parts.fencing,
    payments: parts.payments,
    machines,
    terminals,
    encryption: parts.encryption,
    changes,
    launchFields,
    documents: new Map(),
    cached,
    launches: new Launches(parts),
    eventHub,
    storage: parts.storage,
    closing: closing.signal,
  };
  const declared = declaredChanges(Object.values(variants), context);
  changes.push(...declared.operations, ...consoleOperations);
  launchFields.push(...declared.launchFields);
  const state = () => (closing.signal.aborted ? "stopping" : parts.readiness.state);
  const ping = createPing(db);

  const logAnswered = answeredLog(log);
  const countAnswered = answeredCount(metrics);

  for (const { listener, server } of servers) {
    const answered = (one: Answered) => {
      noteVerified(one.request);
      noteGood(one.entry, addressGroup(one.address), one.request.headers.authorization ?? "");
      tokenUse.note(one.token.principal.tokenId);
      countAnswered(one);
      logAnswered(one);
    };
    installFastPath(server, {
      cached,
      ask,
      limits: rateLimits.front,
      clientAddress: createClientAddress(config.trustedProxies),
      answered,
      isClosed: ({ socket }) => closing.signal.aborted || connections.isExcess(socket) || eventLoop.lagMs() > lateMs,
      most: config.limits.requestsUnderWay,
      handoff,
      failed: (error) => log.error({ err: error }, "cached read failed"),
    });
    takeUpgrades(server.server, (socket) => connections.inputEnded(socket));
    server.addHook("onRequest", async (request, reply) => {
      if (request.routeOptions.config.uncounted !== true && !handoff.has(request.raw))
        rateLimits.address(request, reply);
    });
    healthRoutes(server, { ping, state, storage: parts.storage });
    if (server === main.server) mainPortRoutes(server, { context, metrics, listener, version: parts.version });
    for (const mount of listener.mounts) {
      await mountVariant(server, variants[mount.interface], mount, context);
      if (mount.interface === "control")
        await consoleRoutes(server, {
          context,
          mount,
          mounts: listener.mounts,
          directory: parts.consoleDirectory,
          authenticate,
          lookup,
          countForToken: rateLimits.token,
          ownOrigin,
          ownAccount,
          noteGood: (request, shown) => knownGood.note(addressGroup(request.clientAddress), hashToken(shown)),
        });
    }
    helpRoutes(server, listener, context.documents);
  }

  let metricsPort: MetricsPort | undefined;

  async function close(): Promise<void> {
    const impatience = setTimeout(() => {
      for (const { server } of servers) server.server.closeAllConnections();
    }, parts.drainSeconds * 1000);
    await connections.stopListening(servers.map(({ server }) => server.server));
    // Not earlier: clients reconnect at once, and new connections would be reset when listening ends.
    closing.abort();
    // A client that just received a response may be sending its next request: it is served before the connection ends.
    await connections.empty(parts.idleGraceSeconds * 1000);
    connections.endIdle();
    await terminals.close();
    await Promise.all(servers.map(({ server }) => server.close()));
    clearTimeout(impatience);
    await metricsPort?.close();
    eventLoop.close();
    bodyRate.close();
    await databaseGauges.close();
    await eventHub.close();
    await tokenUse.close();
    await sessionUse.close();
  }

  return {
    close,
    async listen() {
      const addresses = new Map<string, string>();
      try {
        for (const { listener, server } of servers) addresses.set(listener.name, await open(server, listener, config));
        if (config.metricsPort !== undefined) {
          const { address } = await dns.lookup(config.host);
          metricsPort = await openMetricsPort(metrics, address, config.metricsPort);
          addresses.set("metrics", metricsPort.url);
        }
      } catch (error) {
        await close();
        throw error;
      }
      return addresses;
    },
  };
}

async function open(server: FastifyInstance, listener: Listener, config: Pick<Config, "host">): Promise<string> {
  // One address, also for "localhost": for that name Fastify would open a second server, without our handlers.
  const { address: host } = await dns.lookup(config.host);
  await server.listen({ host, port: listener.port });
  const { address, family, port } = server.server.address() as AddressInfo; // it listens on a port, not on a pipe
  return family === "IPv6" ? `http://[${address}]:${port}` : `http://${address}:${port}`;
}

/** What all ports share. */
interface Shared {
  readonly closing: AbortSignal;
  readonly metrics: Metrics;
  readonly admission: Admission;
  readonly bodyMemory: BodyMemory;
  readonly bodyRate: BodyRate;
  readonly connections: Connections;
  readonly storage: StorageState | undefined;
}

/** One port, with the setup of all its requests. */
function createServer(config: HttpParts["config"], log: Logger, shared: Shared): FastifyInstance {
  const { closing, metrics, admission, connections, storage } = shared;
  const handleError = createErrorHandler(log, storage);
  const loggerInstance: FastifyBaseLogger = log;
  const server: FastifyInstance = fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    // The request log has the request's id, so no request needs its own logger.
    childLoggerFactory: (logger) => logger,
    genReqId: requestIdOf,
    bodyLimit: config.limits.bodyBytes,
    schemaController: ownCompilers,
    // A client has one minute for a whole request, and 20 seconds of it for the headers.
    requestTimeout: 60_000,
    http: {
      ...{ headersTimeout: 20_000, connectionsCheckingInterval: 5_000, requireHostHeader: false },
      shouldUpgradeCallback: asksForWebSocket,
      // In bytes of unread body: in chunks of one byte, that many are parsed before other connections are read.
      highWaterMark: 4 * 1024,
    },
    // A client that waits for a response and neither sends nor reads for half a minute is gone.
    connectionTimeout: 30_000,
    // Longer than the 60 seconds of common load balancers, so that they close the connection first.
    keepAliveTimeout: 72_000,
    // While draining, requests on open connections are still served, and their connections end with the response.
    return503OnClosing: false,
    rewriteUrl: (request) => normalizeUrl(request.url ?? "/"),
    frameworkErrors: (error, request, reply) => {
      handleError(error, request, reply);
      logRequest(log, request, reply);
      countRequest(metrics, request, reply);
    },
    clientErrorHandler: createConnectionErrorHandler(log, (socket) => connections.inputEnded(socket)),
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 4096,
      constraints: { virtualHost },
      // Parsed strictly in preValidation below; this one would guess.
      querystringParser: () => ({}),
    },
  });
  const clientAddress = createClientAddress(config.trustedProxies);
  server.decorateRequest("principal", null);
  server.decorateRequest("presentedBy", null);
  server.decorateRequest("moment", null);
  server.decorateRequest("consoleSession", null);
  server.decorateRequest("compatibilityVersion", null);
  server.decorate("fastPaths", new FastPathIndex());
  server.decorateRequest("clientAddress", "");
  server.decorateRequest("audited", false);
  server.decorateRequest("refusedWith", null);
  server.setErrorHandler(handleError);
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(() => (value) => JSON.stringify(value));
  server.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    request.clientAddress = clientAddress(request.raw);
    const problem = unclearHeaders(request.raw);
    if (problem !== undefined) throw new HttpError("malformed-request", { problem });
  });
  admission.guard(server);
  server.addHook("onSend", async (_request, reply) => {
    if (closing.aborted || !reply.raw.shouldKeepAlive) reply.header("connection", "close");
  });
  server.addHook("preValidation", async (request) => {
    if (request.is404) return;
    for (const [name, value] of Object.entries(request.params as Record<string, string>)) {
      const refusal = refuseText(value, name);
      if (refusal !== undefined) throw refusal;
    }
    if (request.routeOptions.schema?.querystring !== undefined) request.query = parseQuery(request.url);
  });
  takeJsonBodies(server, config.limits.bodyBytes, shared);
  logRequests(server, log);
  countRequests(server, metrics);
  respondToUnknownPaths(server);
  answerOddities(server, config.limits.bodyBytes, connections);
  limitSmallPieces(server.server);
  return server;
}

/** Responds where Node would by itself send no body, or nothing at all. */
function answerOddities(server: FastifyInstance, limitBytes: number, connections: Connections): void {
  const others = new Map<string, number>();
  server.addHook("onRoute", ({ url, config = {} }) => {
    const most = mostBodyBytes(config, limitBytes);
    if (most !== limitBytes) others.set(url, most);
  });
  server.server.on("checkContinue", (request, response) => {
    // A client without the 100 response need not send the body, so the next bytes could be anything.
    const [path = ""] = normalizeUrl(request.url ?? "/").split("?");
    if (declaresMoreThan(others.get(path) ?? limitBytes, request)) response.shouldKeepAlive = false;
    else response.writeContinue();
    server.server.emit("request", request, response);
  });
  server.server.on("checkExpectation", (request, response) => void server.server.emit("request", request, response));
  server.server.on("connect", (request, socket) => {
    socket.on("error", () => socket.destroy());
    if (!connections.inputEnded(request.socket)) return;
    const refusal = new HttpError("method-not-allowed", { allowed: ["GET"] });
    socket.end(rawAnswer(refusal, requestIdOf(request)));
  });
}
