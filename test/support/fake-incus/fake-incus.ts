// A stand-in for a cluster's API, for tests that need neither root nor a cluster: real HTTP over a Unix socket or HTTPS,
// real WebSockets, and a world in memory (world.ts) that the test sees and changes. What goes wrong, the test says
// (faults.ts). Its words are those of LXD 5.0; that the engine works with a real one is proved on a real one.

import type { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { firstBootMark } from "../../../src/engines/guest/boot-script.ts";
import { certificatePath, keyPath } from "./certificates.ts";
import { Faults } from "./faults.ts";
import { FakeOperations } from "./operations.ts";
import { type FakeAnswer, type FakeRequest, FakeRoutes } from "./routes.ts";
import { FakeSession } from "./session.ts";
import { FakeWebSocket } from "./web-socket.ts";
import { type FakeInstance, FakeWorld } from "./world.ts";

/** A request as it arrived, and at which of the listeners. */
export interface SeenRequest extends FakeRequest {
  readonly listener: string;
  /** Of the client certificate that came with it; undefined: there was none. */
  readonly clientFingerprint: string | undefined;
}

export class FakeIncus {
  readonly world = new FakeWorld();
  readonly operations = new FakeOperations();
  readonly faults = new Faults();
  readonly requests: SeenRequest[] = [];
  /** Without those that look into a guest's first boot. */
  readonly sessions: FakeSession[] = [];
  readonly eventSockets = new Set<FakeWebSocket>();
  /** What a session does once its sockets are there; by default it waits for what is typed. `instance`: its name. */
  onSession: ((session: FakeSession, instance: string) => void) | undefined;
  /** What a guest does where its first boot is looked into; by default it says how that was. */
  onFirstBootLook = (session: FakeSession, { missedFirstBoot }: FakeInstance): void =>
    session.print(missedFirstBoot ? "no\n" : "yes\n");
  /** Whether the streams of events are refused. */
  refusesEvents = false;
  readonly #routes = new FakeRoutes(this.world, this.operations);
  readonly #servers = new Map<string, Server>();
  readonly #sockets = new Map<Socket | Duplex, string>();

  constructor() {
    this.world.onEvent = (action, name) => {
      // What ran in a guest ends with it.
      for (const [id, session] of this.#sessionById) if (this.#guestOf(id) === name) session.end();
      this.emit(action, `/1.0/instances/${name}?project=default`);
    };
  }

  /** Answers with the path, which is its listener's name too. */
  async listenUnix(path: string): Promise<string> {
    await this.#listen(path, createServer(), { path });
    return path;
  }

  /** On a free port of 127.0.0.1. Answers with the URL, which is its listener's name too. */
  async listenHttps(certificate: "server" | "other" | "signed"): Promise<string> {
    const tls = { cert: readFileSync(certificatePath(certificate)), key: readFileSync(keyPath(certificate)) };
    // As the real ones, which are written in Go, it takes HTTP/2 where a client offers it; and then understands nothing.
    const protocols = { ALPNProtocols: ["h2", "http/1.1"] };
    const server = createSecureServer({ ...tls, ...protocols, requestCert: true, rejectUnauthorized: false });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("BUG: a TCP server without a port");
    const url = `https://127.0.0.1:${address.port}`;
    await this.#listen(url, server, undefined);
    return url;
  }

  /** Ends one listener and its connections: further ones are refused. */
  async endListener(name: string): Promise<void> {
    const server = this.#servers.get(name);
    this.#servers.delete(name);
    const closed = new Promise<void>((resolve) => (server === undefined ? resolve() : server.close(() => resolve())));
    for (const [socket, listener] of this.#sockets) if (listener === name) socket.destroy();
    await closed;
  }

  async close(): Promise<void> {
    this.operations.forgetAll();
    await Promise.all([...this.#servers.keys()].map((name) => this.endListener(name)));
  }

  /** Tells everyone who listens. */
  emit(action: string, source: string): void {
    this.emitRaw(JSON.stringify({ type: "lifecycle", metadata: { action, source } }));
  }

  emitRaw(text: string): void {
    for (const socket of this.eventSockets) socket.sendText(text);
  }

  /** The requests of this method and path, in their order. */
  seen(method: string, path: RegExp): SeenRequest[] {
    return this.requests.filter((request) => request.method === method && path.test(request.path));
  }

  async #listen(name: string, server: Server, where: { path: string } | undefined): Promise<void> {
    server.on("request", (request, response) => void this.#answer(name, request, response));
    server.on("upgrade", (request, socket) => this.#upgrade(name, request, socket));
    for (const event of ["connection", "secureConnection"]) {
      server.on(event, (socket: Socket) => {
        this.#sockets.set(socket, name);
        socket.on("error", () => {});
        socket.on("close", () => this.#sockets.delete(socket));
      });
    }
    if (where !== undefined) await new Promise<void>((resolve) => server.listen(where.path, resolve));
    this.#servers.set(name, server);
  }

  #note(listener: string, request: IncomingMessage, body: Buffer): SeenRequest {
    const url = new URL(request.url ?? "/", "http://localhost");
    const certificate = "getPeerX509Certificate" in request.socket ? peerOf(request.socket as TLSSocket) : undefined;
    const seen = {
      listener,
      method: request.method ?? "GET",
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: request.headers,
      body,
      clientFingerprint: certificate?.fingerprint256.replaceAll(":", "").toLowerCase(),
    };
    this.requests.push(seen);
    return seen;
  }

  async #answer(listener: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const seen = this.#note(listener, request, Buffer.concat(chunks));
    const fault = this.faults.take(seen.method, seen.path);
    if (fault.silence === true) return;
    if (fault.drop === "before") return void request.socket.destroy();
    if (fault.answer !== undefined) return void response.end(fault.answer);
    const answer = fault.fail ?? (await this.#routes.handle(seen, fault));
    if (fault.drop === "after") return void request.socket.destroy();
    response.setHeader("date", new Date(Date.now() + this.world.clockAheadMs).toUTCString());
    send(response, answer);
  }

  #upgrade(listener: string, request: IncomingMessage, socket: Duplex): void {
    const { path, query } = this.#note(listener, request, Buffer.alloc(0));
    const fault = this.faults.take("GET", path);
    if (fault.silence === true) return;
    if (fault.drop !== undefined || (path === "/1.0/events" && this.refusesEvents)) return void socket.destroy();
    if (path === "/1.0/events") {
      const events = new FakeWebSocket(request, socket);
      this.eventSockets.add(events);
      events.onClose = () => this.eventSockets.delete(events);
      return;
    }
    const id = /^\/1\.0\/operations\/([^/]+)\/websocket$/.exec(path)?.[1] ?? "";
    const kind = this.#socketKind(id, query.secret);
    if (kind === undefined) return void socket.destroy();
    const session = this.#sessionOf(id);
    session.connect(new FakeWebSocket(request, socket), kind);
    if (session.data === undefined || session.control === undefined) return;
    const name = this.#guestOf(id);
    const instance = this.world.instances.get(name);
    if (!this.#looksIntoFirstBoot(id)) this.onSession?.(session, name);
    else if (instance !== undefined) this.onFirstBootLook(session, instance);
  }

  #socketKind(operation: string, secret: string | undefined): "data" | "control" | undefined {
    const { fds } = (this.operations.get(operation)?.metadata ?? { fds: {} }) as { fds: Record<string, string> };
    if (secret === undefined) return undefined;
    if (fds["0"] === secret) return "data";
    return fds.control === secret ? "control" : undefined;
  }

  readonly #sessionById = new Map<string, FakeSession>();
  #sessionOf(operation: string): FakeSession {
    const known = this.#sessionById.get(operation);
    if (known !== undefined) return known;
    const session = new FakeSession();
    session.onClosed = () => this.operations.settle(operation);
    this.#sessionById.set(operation, session);
    if (!this.#looksIntoFirstBoot(operation)) this.sessions.push(session);
    return session;
  }

  /** The name of the instance that a session is in. */
  #guestOf(operation: string): string {
    return this.operations.get(operation)?.resources.instances?.[0]?.split("/").at(-1) ?? "";
  }

  #looksIntoFirstBoot(operation: string): boolean {
    return JSON.stringify(this.operations.get(operation)?.metadata).includes(firstBootMark);
  }
}

function peerOf(socket: TLSSocket): X509Certificate | undefined {
  return socket.getPeerX509Certificate();
}

function send(response: ServerResponse, answer: FakeAnswer): void {
  if ("text" in answer) return void response.setHeader("content-type", "application/octet-stream").end(answer.text);
  response.setHeader("content-type", "application/json");
  if ("error" in answer) {
    const { status, error } = answer;
    response.statusCode = status;
    return void response.end(JSON.stringify({ type: "error", error, error_code: status, metadata: null }));
  }
  if ("operation" in answer) {
    const { id, metadata, resources } = answer.operation;
    response.statusCode = 202;
    const operation = `/1.0/operations/${id}`;
    return void response.end(
      JSON.stringify({ type: "async", status_code: 100, operation, error: "", metadata: { id, resources, metadata } }),
    );
  }
  response.end(JSON.stringify({ type: "sync", status_code: 200, operation: "", error: "", metadata: answer.value }));
}
