// Requests to the cluster's REST API. Any member serves the whole cluster, so if one does not respond the next is
// tried; the last that responded is first. Used by everything else in this engine.
//
// Invariant: only reads are repeated if they might have been carried out. Repeating a change is up to the caller, who
// can recognize its own.

import type { Readable } from "node:stream";
import { type Static, type TSchema, Type } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { request, WebSocket } from "undici";
import type { Expiry } from "../../tls-certificates.ts";
import type { IncusSettings } from "../settings/settings.ts";
import { ApiError, NoAnswer, NotConnected, UnexpectedAnswer } from "./api-error.ts";
import { type Endpoint, type Line, openEndpoint } from "./endpoint.ts";

export type Query = Readonly<Record<string, string>>;

export interface Call {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: Query;
  /** Sent as JSON. */
  readonly body?: object;
  /** Sent unchanged. */
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

/** The response: `metadata`, and the path of the background operation. */
export interface Answer {
  readonly metadata: unknown;
  readonly operation: string;
  /**
   * How many seconds the clock of the member that responded is ahead of this one's, as far as the response is sure of it;
   * undefined: it has no time.
   */
  readonly clockSkew: number | undefined;
}

/** So that a hanging member does not block the others. Longer than a wait for an operation. */
const READ_PATIENCE_MS = 45_000;

/** How long the other side of a WebSocket can take to close. */
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
    const { status, text, clockSkew } = await this.#send(path, call, signal);
    const answer = parse(text, Envelope, path);
    if (status >= 400 || answer.type === "error") throw new ApiError(status, answer.error ?? `HTTP ${status}`);
    return { metadata: answer.metadata, operation: answer.operation ?? "", clockSkew };
  }

  /** Reads an object and validates it against `schema`. Throws as `call`. */
  async read<T extends TSchema>(
    path: string,
    schema: Validator<Record<never, never>, T>,
    signal: AbortSignal,
    query: Query = {},
  ): Promise<Static<T>> {
    const { metadata } = await this.call(path, { query }, signal);
    return checked(metadata, schema, path);
  }

  /** Reads a response that is not JSON, such as a log. Throws as `call`. */
  async readText(path: string, signal: AbortSignal, query: Query = {}): Promise<string> {
    const { status, text } = await this.#send(path, { query }, signal);
    if (status < 400) return text;
    throw new ApiError(status, parse(text, Envelope, path).error ?? `HTTP ${status}`);
  }

  /** When the certificates of the connections expire, of all endpoints that were connected to. */
  get certificates(): readonly Expiry[] {
    return this.#endpoints.flatMap(({ certificates }) => certificates());
  }

  /** Opens a WebSocket; it can still fail, as an event of the socket. End it with `hangUp`. */
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

  /** Closes the WebSocket, whether or not the other side responds. */
  hangUp(socket: WebSocket): void {
    socket.close();
    setTimeout(() => this.#cut(socket), FAREWELL_MS).unref();
  }

  /** The connection to the preferred endpoint was lost: prefer the next one. */
  tryAnother(): void {
    this.#preferred = (this.#preferred + 1) % this.#endpoints.length;
  }

  async close(): Promise<void> {
    for (const socket of [...this.#lines.keys()]) this.#cut(socket);
    await Promise.all(this.#endpoints.map(({ agent }) => agent.destroy()));
  }

  async #send(
    path: string,
    call: Call,
    signal: AbortSignal,
  ): Promise<{ status: number; text: string; clockSkew: number | undefined }> {
    const failures: string[] = [];
    for (let tried = 0; tried < this.#endpoints.length; tried++) {
      const { name, origin, agent } = this.#endpointNow();
      const sentAt = Date.now();
      try {
        const response = await request(`${origin}${this.#pathWith(path, call.query ?? {})}`, {
          dispatcher: agent,
          method: call.method ?? "GET",
          headers: { ...(call.body === undefined ? {} : { "content-type": "application/json" }), ...call.headers },
          body: call.body === undefined ? (call.bytes ?? null) : JSON.stringify(call.body),
          signal,
          // A change has no timeout of its own, because it must not be repeated.
          headersTimeout: isRead(call) ? READ_PATIENCE_MS : 0,
        });
        const clockSkew = skewOf(response.headers.date, sentAt);
        return { status: response.statusCode, text: await response.body.text(), clockSkew };
      } catch (error) {
        if (signal.aborted) {
          // It accepted the connection and never responded: prefer another.
          this.tryAnother();
          signal.throwIfAborted();
        }
        failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
        this.tryAnother();
        if (!mayRepeat(call, error)) break;
      }
    }
    throw new NoAnswer(`The cluster does not respond (${failures.join("; ")}).`);
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

/** By a Date header, which has whole seconds. Any time between the request and now counts as right. */
function skewOf(date: string | string[] | undefined, sentAt: number): number | undefined {
  const shown = typeof date === "string" ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(shown)) return undefined;
  return (Math.max(shown - Date.now(), 0) + Math.min(shown + 1000 - sentAt, 0)) / 1000;
}

/** Reads can always be repeated; changes only if they surely were not sent and the body was not consumed. */
function isRead(call: Call): boolean {
  return (call.method ?? "GET") === "GET";
}

function mayRepeat(call: Call, error: unknown): boolean {
  if (isRead(call)) return true;
  return error instanceof NotConnected && (call.bytes === undefined || Buffer.isBuffer(call.bytes));
}

/** `value`, if it matches the schema. Throws UnexpectedAnswer. */
export function checked<T extends TSchema>(
  value: unknown,
  schema: Validator<Record<never, never>, T>,
  path: string,
): Static<T> {
  if (schema.Check(value)) return value;
  const problem = schema.Errors(value)[0];
  throw new UnexpectedAnswer(
    `Unexpected response from ${path}: ${problem?.instancePath ?? ""} ${problem?.message ?? ""}.`,
  );
}

function parse<T extends TSchema>(text: string, schema: Validator<Record<never, never>, T>, path: string): Static<T> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnexpectedAnswer(`The response from ${path} is not JSON.`);
  }
  return checked(value, schema, path);
}
