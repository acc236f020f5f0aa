// HTTP/1.1 to the services of a cloud: TLS with a pinned CA and our certificate, limits, and no redirects. Used by
// client.ts, session.ts and microversions.ts.
//
// Invariant: only what may be repeated is sent again, once, after its response was lost.

import { readFileSync } from "node:fs";
import { Readable } from "node:stream";
import { Agent, buildConnector, type Dispatcher, request } from "undici";
import { type Expiry, expiriesOf } from "../../tls-certificates.ts";
import type { CloudAccess } from "../settings/clouds-file.ts";
import { NoAnswer, UnexpectedAnswer } from "./api-error.ts";

export interface Outgoing {
  /** For messages, such as "compute". */
  readonly service: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | Readable | null;
  /** Ends after 45 seconds, and is sent again once if its response is lost. Others wait as long as their caller. */
  readonly repeatable: boolean;
}

export interface Incoming {
  readonly status: number;
  readonly text: string;
  /** By name in lower case; undefined: missing. */
  readonly header: (name: string) => string | undefined;
}

const PATIENCE_MS = 45_000;
const MOST_BYTES = 64 * 2 ** 20;

/** A console sends a few bytes at a time. */
const MOST_FRAME_BYTES = 2 ** 20;

/** A connection for one WebSocket, which can be cut: a server might ignore a closed session, or be gone. */
export interface Line {
  readonly dispatcher: Dispatcher;
  cut(): void;
}

export class Transport {
  readonly #agent: Agent;
  readonly #connect: buildConnector.connector;
  readonly #lines = new Set<Line>();
  readonly #certificates = new Map<string, readonly Expiry[]>();

  /** Throws what reading the certificate files throws. */
  constructor({ ca, certificate }: Pick<CloudAccess, "ca" | "certificate">) {
    this.#connect = buildConnector({
      ...(ca === undefined ? {} : { ca: readFileSync(ca) }),
      ...(certificate === undefined
        ? {}
        : { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) }),
      allowH2: false,
    });
    this.#agent = new Agent({
      allowH2: false,
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: MOST_BYTES,
      connect: (options, callback) =>
        this.#connect(options, (...answer) => {
          const [error, socket] = answer;
          if (error === null) this.#certificates.set(options.host ?? options.hostname, expiriesOf(socket));
          callback(...answer);
        }),
    });
  }

  /** When the certificates of the last connection to each server expire; one that several have is listed once. */
  get certificates(): readonly Expiry[] {
    const all = [...this.#certificates.values()].flat();
    return [...new Map(all.map((one) => [`${one.which} ${one.expires.getTime()}`, one])).values()];
  }

  /** Is cut by `close` too. */
  line(): Line {
    let connection: { destroy(): unknown } | undefined;
    const agent = new Agent({
      allowH2: false,
      webSocket: { maxPayloadSize: MOST_FRAME_BYTES },
      connect: (options, callback) =>
        this.#connect(options, (...answer) => {
          const [error, socket] = answer;
          if (error === null) connection = socket;
          callback(...answer);
        }),
    });
    const line: Line = {
      dispatcher: agent,
      cut: () => {
        this.#lines.delete(line);
        connection?.destroy();
        void agent.destroy();
      },
    };
    this.#lines.add(line);
    return line;
  }

  /** Throws NoAnswer, UnexpectedAnswer, or the reason of `signal`. */
  async send(outgoing: Outgoing, signal: AbortSignal): Promise<Incoming> {
    if (!outgoing.repeatable) return await this.#once(outgoing, signal, signal);
    signal.throwIfAborted();
    // Not AbortSignal.any: signals of callers live long, and would keep each of these.
    const either = new AbortController();
    const abort = () => either.abort(signal.reason);
    signal.addEventListener("abort", abort);
    const timer = setTimeout(() => either.abort(new Error("no response within 45 seconds")), PATIENCE_MS);
    try {
      return await this.#once(outgoing, either.signal, signal);
    } catch (error) {
      if (!(error instanceof NoAnswer) || either.signal.aborted) throw error;
      return await this.#once(outgoing, either.signal, signal);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
    }
  }

  async close(): Promise<void> {
    for (const line of [...this.#lines]) line.cut();
    await this.#agent.destroy();
  }

  async #once(outgoing: Outgoing, either: AbortSignal, signal: AbortSignal): Promise<Incoming> {
    const { service, method, url, headers, body } = outgoing;
    try {
      const response = await request(url, { dispatcher: this.#agent, method, headers, body, signal: either });
      const text = await response.body.text();
      const header = (name: string) => {
        const value = response.headers[name];
        return typeof value === "string" ? value : value?.[0];
      };
      return { status: response.statusCode, text, header };
    } catch (error) {
      if (body instanceof Readable) body.destroy();
      signal.throwIfAborted();
      const code = error instanceof Error && "code" in error ? error.code : undefined;
      if (code === "UND_ERR_RES_EXCEEDED_MAX_SIZE") {
        throw new UnexpectedAnswer(`The response of ${service} is larger than 64 MiB.`);
      }
      const reason = error instanceof Error && error.message !== "" ? error.message : String(code ?? error);
      throw new NoAnswer(`${service} at ${new URL(url).origin} does not respond (${reason}).`);
    }
  }
}
