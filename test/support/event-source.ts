// A client of server-sent events for tests: reads the stream by hand, so that a test sees every line, may stop reading,
// and may cut the connection wherever it likes.

import { once } from "node:events";
import { type ClientRequest, get, type IncomingMessage } from "node:http";
import { expect } from "vitest";
import { afterTest } from "./when-over.ts";

export interface Streamed {
  /** The cursor. */
  readonly id: string;
  readonly data: { id: string; type: string; timestamp: string; account_id?: string; data: Record<string, unknown> };
}

export class EventSource {
  readonly events: Streamed[] = [];
  /** Everything that came, as text. */
  text = "";
  /** As a browser keeps it: for the next connection. */
  lastEventId = "";
  ended = false;
  readonly #response: IncomingMessage;
  readonly #request: ClientRequest;
  #rest = "";

  constructor(request: ClientRequest, response: IncomingMessage) {
    this.#request = request;
    this.#response = response;
    response.setEncoding("utf8").on("data", (text: string) => this.#take(text));
    response.on("close", () => {
      this.ended = true;
    });
    response.on("error", () => {});
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get headers() {
    return this.#response.headers;
  }

  /** Waits until so many events came, and gives them. */
  async received(count: number): Promise<readonly Streamed[]> {
    await expect.poll(() => this.events.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(count);
    return this.events;
  }

  /** Waits until the server has ended it. */
  async end(): Promise<void> {
    await expect.poll(() => this.ended, { timeout: 20_000 }).toBe(true);
  }

  /** Cuts the connection. */
  cut(): void {
    this.#request.destroy();
  }

  stopReading(): void {
    this.#response.pause();
  }

  goOnReading(): void {
    this.#response.resume();
  }

  #take(text: string): void {
    this.text += text;
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = new Map(block.split("\n").map((line) => line.split(/: ?(.*)/s, 2) as [string, string]));
      this.lastEventId = fields.get("id") ?? this.lastEventId;
      const data = fields.get("data");
      if (data !== undefined) this.events.push({ id: this.lastEventId, data: JSON.parse(data) });
    }
  }
}

/**
 * Opens a stream; resolves when its head has come, whatever the status. Cut when the test is over. `by`: a token, or the
 * headers that stand in its place.
 */
export async function openStream(
  url: string,
  by: string | { readonly headers: Readonly<Record<string, string>> },
  lastEventId?: string,
): Promise<EventSource> {
  const request = get(url, {
    agent: false,
    headers: {
      ...(typeof by === "string" ? { authorization: `Bearer ${by}` } : by.headers),
      accept: "text/event-stream",
      ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
    },
  });
  request.on("error", () => {});
  const [response] = await once(request, "response");
  afterTest(() => request.destroy());
  return new EventSource(request, response);
}
