// One listener of the fake, on a free port of 127.0.0.1 that it keeps while it is stopped.

import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { FakeAnswer, FakeRequest } from "./exchange.ts";

export interface ListenerOptions {
  /** Undefined: the connection is cut. */
  readonly answer: (request: Omit<FakeRequest, "service" | "region">) => Promise<FakeAnswer | undefined>;
  readonly upgrade: (request: IncomingMessage, socket: Duplex) => void;
  /** For the header Date. */
  readonly now: () => Date;
}

export class Listener {
  readonly #options: ListenerOptions;
  #server: Server | undefined;
  #port = 0;
  readonly #sockets = new Set<Socket>();

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async begin(): Promise<void> {
    if (this.#server !== undefined) return;
    const server = createServer((request, response) => void this.#handle(request, response));
    server.on("upgrade", (request, socket) => this.#options.upgrade(request, socket));
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("BUG: a TCP server without a port");
    this.#port = address.port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const { method = "GET", headers } = request;
    const { pathname: path, searchParams: query } = new URL(request.url ?? "/", this.url);
    const answer = await this.#options.answer({ method, path, query, headers, body: Buffer.concat(chunks) });
    if (answer === undefined) return void request.socket.destroy();
    response.statusCode = answer.status;
    response.setHeader("date", this.#options.now().toUTCString());
    response.setHeader("x-openstack-request-id", `req-${randomUUID()}`);
    response.setHeader("content-type", "application/json");
    for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
    const { body } = answer;
    if (body === undefined) response.end();
    else response.end(typeof body === "string" ? body : JSON.stringify(body));
  }
}
