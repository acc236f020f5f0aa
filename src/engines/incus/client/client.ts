// Requests to the cluster's REST API. Any member serves for the whole cluster, so where one does not answer the next is
// asked; the one that answered last is asked first. Used by everything else in this engine.
//
// Invariant: a request that may have been carried out is never sent a second time by itself, save reads. Who repeats a
// change is the caller, who knows how to recognize his own.

import type { Readable } from "node:stream";
import { type Static, type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { request, WebSocket } from "undici";
import type { IncusSettings } from "../settings/settings.ts";
import { ApiError, NoAnswer, NotConnected, UnexpectedAnswer } from "./api-error.ts";
import { type Endpoint, type Line, openEndpoint } from "./endpoint.ts";

export type Query = Readonly<Record<string, string>>;

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent as it is. */
  readonly bytes?: Buffer | Readable;
  readonly headers?: Readonly<Record<string, string>>;
}

const Envelope = Compile(
  Type.Object({
    type: Type.String(),
    error: Type.Optional(Type.String()),
    operation: Type.Optional(Type.String()),
    metadata: Type.Optional(Type.Unknown()),
  }),
);

/** What the API answers: `metadata`, and the path of the operation that goes on in the background. */
export interface Answer {
  readonly metadata: unknown;
  readonly operation: string;
}

/** A member that hangs must not keep the others from being asked. Longer than a wait for an operation takes. */
const READ_PATIENCE_MS = 45_000;

/** How long the other side of a WebSocket may take to say goodbye. */
const FAREWELL_MS = 1000;

export class Client {
  readonly #endpoints: readonly Endpoint[];
  readonly #project: string;
  readonly #lines = new Map<WebSocket, Line>();
  #preferred = 0;

  /** Throws what reading the certificate files throws. */
  constructor(settings: Pick<IncusSettings, "endpoints" | "tls" | "project">) {
    this.#endpoints = settings.endpoints.map((endpoint) => openEndpoint(endpoint, settings.tls));
    this.#project = settings.project;
  }

  /** Throws ApiError, NoAnswer, UnexpectedAnswer, or the reason of `signal`. */
  async call(path: string, call: Call, signal: AbortSignal): Promise<Answer> {
    const { status, text } = await this.#send(path, call, signal);
    const answer = parse(text, Envelope, path);
    if (status >= 400 || answer.type === "error") throw new ApiError(status, answer.error ?? `HTTP ${status}`);
    return { metadata: answer.metadata, operation: answer.operation ?? "" };
  }

  /** Reads an object and checks that it has what `schema` says. Throws as `call`. */
  async read<T extends TSchema>(
    path: string,
    schema: Validator<Record<never, never>, T>,
    signal: AbortSignal,
    query: Query = {},
  ): Promise<Static<T>> {
    const { metadata } = await this.call(path, { query }, signal);
    return checked(metadata, schema, path);
  }

  /** Reads what is no object, such as a log. Throws as `call`. */
  async readText(path: string, signal: AbortSignal, query: Query = {}): Promise<string> {
    const { status, text } = await this.#send(path, { query }, signal);
    if (status < 400) return text;
    throw new ApiError(status, parse(text, Envelope, path).error ?? `HTTP ${status}`);
  }

  /** Opens a WebSocket; it may still fail, as an event of the socket. To be ended by `hangUp`. */
  socket(path: string, query: Query): WebSocket {
    const { origin, line } = this.#endpointNow();
    const own = line();
    const url = `${origin.replace(/^http/, "ws")}${this.#pathWith(path, query)}`;
    const socket = new WebSocket(url, { dispatcher: own.agent });
    socket.binaryType = "arraybuffer";
    this.#lines.set(socket, own);
    socket.addEventListener("close", () => this.#cut(socket));
    return socket;
  }

  /** Closes the WebSocket, with or without the other side. */
  hangUp(socket: WebSocket): void {
    socket.close();
    setTimeout(() => this.#cut(socket), FAREWELL_MS).unref();
  }

  /** A connection of the one now preferred was lost: the next one is asked first. */
  tryAnother(): void {
    this.#preferred = (this.#preferred + 1) % this.#endpoints.length;
  }

  async close(): Promise<void> {
    for (const socket of [...this.#lines.keys()]) this.#cut(socket);
    await Promise.all(this.#endpoints.map(({ agent }) => agent.destroy()));
  }

  async #send(path: string, call: Call, signal: AbortSignal): Promise<{ status: number; text: string }> {
    const failures: string[] = [];
    for (let tried = 0; tried < this.#endpoints.length; tried++) {
      const { name, origin, agent } = this.#endpointNow();
      try {
        const response = await request(`${origin}${this.#pathWith(path, call.query ?? {})}`, {
          dispatcher: agent,
          method: call.method ?? "GET",
          headers: { ...(call.body === undefined ? {} : { "content-type": "application/json" }), ...call.headers },
          body: call.body === undefined ? (call.bytes ?? null) : JSON.stringify(call.body),
          signal,
          // A change is waited for as long as the caller does: nobody could repeat it.
          headersTimeout: isRead(call) ? READ_PATIENCE_MS : 0,
        });
        return { status: response.statusCode, text: await response.body.text() };
      } catch (error) {
        if (signal.aborted) {
          // It accepted and never answered: others may be better.
          this.tryAnother();
          signal.throwIfAborted();
        }
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
        this.tryAnother();
        if (!mayRepeat(call, error)) break;
      }
    }
    throw new NoAnswer(`The cluster does not answer (${failures.join("; ")}).`);
  }

  #cut(socket: WebSocket): void {
    this.#lines.get(socket)?.cut();
    this.#lines.delete(socket);
  }

  #endpointNow(): Endpoint {
    const endpoint = this.#endpoints[this.#preferred];
    if (endpoint === undefined) throw new Error("BUG: a cluster without an endpoint");
    return endpoint;
  }

  #pathWith(path: string, query: Query): string {
    return `${path}?${new URLSearchParams({ project: this.#project, ...query })}`;
  }
}

/** A read always; a change only where it surely never left, and its body was not used up by the attempt. */
function isRead(call: Call): boolean {
  return (call.method ?? "GET") === "GET";
}

function mayRepeat(call: Call, error: unknown): boolean {
  if (isRead(call)) return true;
  return error instanceof NotConnected && (call.bytes === undefined || Buffer.isBuffer(call.bytes));
}

/** `value`, if it has what the schema says. Throws UnexpectedAnswer. */
export function checked<T extends TSchema>(
  value: unknown,
  schema: Validator<Record<never, never>, T>,
  path: string,
): Static<T> {
  if (schema.Check(value)) return value;
  const problem = schema.Errors(value)[0];
  throw new UnexpectedAnswer(
    `Unexpected answer from ${path}: ${problem?.instancePath ?? ""} ${problem?.message ?? ""}.`,
  );
}

function parse<T extends TSchema>(text: string, schema: Validator<Record<never, never>, T>, path: string): Static<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(`The answer from ${path} is no JSON.`);
  }
  return checked(value, schema, path);
}
