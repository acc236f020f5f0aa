// A request as it goes over the wire, the way it is sent, and the line by which a person sends it again.

import { type Dispatcher, Pool } from "undici";
import type { CallResult } from "../../support/http.ts";

export interface WireRequest {
  readonly method: string;
  /** Below the interface's prefix, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer | undefined;
  /** Whether the interface's document knows the operation; otherwise any refusal in the one error body will do. */
  readonly documented: boolean;
}

/** Keep-alive connections to one interface; `base` is its address with the prefix. */
export class Sender {
  readonly #pool: Pool;
  readonly #base: URL;

  constructor(base: string, connections: number) {
    this.#base = new URL(base);
    this.#pool = new Pool(this.#base.origin, { connections, bodyTimeout: 60_000, headersTimeout: 60_000 });
  }

  /** Throws when there was no answer. A stream is left as soon as it has begun; its body is undefined. */
  async send({ method, path, headers, body }: WireRequest): Promise<CallResult> {
    const response = await this.#pool.request({
      method: method as Dispatcher.HttpMethod, // any token is one; that those of no operation are refused is the point
      path: `${this.#base.pathname.replace(/\/$/, "")}${path}`,
      headers,
      body: body ?? null,
    });
    const answered = new Headers();
    for (const [name, value] of Object.entries(response.headers)) answered.set(name, String(value));
    const result = { status: response.statusCode, headers: answered };
    if (answered.get("content-type")?.startsWith("text/event-stream") === true) {
      response.body.on("error", () => {}).destroy();
      return { ...result, text: "", body: undefined };
    }
    const text = await response.body.text();
    return { ...result, text, body: parsed(text) };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The same request for a shell; `base` as of the sender. The token is a name, for it ends with the proof. */
export function curlLine(base: string, { method, path, headers, body }: WireRequest): string {
  const { authorization: _, ...shown } = headers;
  const parts = [
    `curl -sS -i -X ${method} ${quoted(base + path)} --path-as-is -H "Authorization: Bearer $TOKEN"`,
    ...Object.entries(shown).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
  ];
  if (body === undefined) return parts.join(" ");
  const bytes = Buffer.from(body);
  if (bytes.length > 2000) return `${parts.join(" ")} --data-binary @a-body-of-${bytes.length}-bytes`;
  return `printf %s ${bytes.toString("base64")} | base64 -d | ${parts.join(" ")} --data-binary @- # ${readable(bytes)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function readable(bytes: Buffer): string {
  return JSON.stringify(bytes.toString("latin1")).slice(0, 300);
}
