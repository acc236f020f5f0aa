// Requests of which every end is told apart: a whole answer, a connection that was refused, or one that was cut. fetch
// does not: it repeats and pools by rules of its own.

import { Agent, type IncomingMessage, request } from "node:http";

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export type Outcome =
  | { readonly kind: "answered"; readonly status: number; readonly text: string; readonly ms: number }
  /** Nobody listened: nothing was sent. */
  | { readonly kind: "refused" }
  /** The connection ended before a whole answer had come. `why` is an error code. */
  | { readonly kind: "cut"; readonly why: string };

/** One that keeps its one connection, or makes a new one for each request. */
export class ExactClient {
  readonly #agent: Agent;

  constructor({ keepAlive }: { readonly keepAlive: boolean }) {
    this.#agent = new Agent({ keepAlive, maxSockets: 1 });
  }

  send(url: string, { method = "GET", headers = {}, body }: Sent = {}): Promise<Outcome> {
    const began = performance.now();
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const length = payload === undefined ? {} : { "content-length": String(Buffer.byteLength(payload)) };
    return new Promise((resolve) => {
      const failed = (error: NodeJS.ErrnoException) => {
        const why = error.code ?? error.message;
        resolve(why === "ECONNREFUSED" ? { kind: "refused" } : { kind: "cut", why });
      };
      const sent = request(url, { method, agent: this.#agent, headers: { ...headers, ...length } }, (response) => {
        const answered = (text: string) => {
          resolve({ kind: "answered", status: response.statusCode ?? 0, text, ms: performance.now() - began });
        };
        readAll(response).then(answered, failed);
      });
      sent.on("error", failed);
      sent.end(payload);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8") as AsyncIterable<string>) text += chunk;
  return text;
}
