// Writes server-sent events to one client (HTML standard, "Server-sent events"). Invariant: the data waiting for it is
// limited; a client that does not read is cut off, and resumes at its cursor when it reconnects.

import type { ServerResponse } from "node:http";

/** How much may wait for a client that does not read. */
export const mostWaitingBytes = 1_048_576;
/** A client that reads nothing for this long while data waits is gone. */
const stallMs = 20_000;

export class Sink {
  /** Resolves when the client is gone or the stream was ended. */
  readonly closed: Promise<void>;
  readonly #response: ServerResponse;
  readonly #mostWaiting: number;

  /** `response`: its head is sent, or its client has left before that. `mostWaiting` in bytes. */
  constructor(response: ServerResponse, mostWaiting = mostWaitingBytes) {
    this.#response = response;
    this.#mostWaiting = mostWaiting;
    // A closed response emits no further event.
    const isClosed = response.destroyed || response.closed;
    this.closed = isClosed ? Promise.resolve() : new Promise((resolve) => response.once("close", resolve));
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Sent first: where a reconnecting client resumes, even before any event. */
  begin(cursor: string, retryMs: number): void {
    this.#write(`retry: ${retryMs}\nid: ${cursor}\n\n`);
  }

  /** `data` has no line ends. */
  send(cursor: string, data: string): void {
    this.#write(`id: ${cursor}\ndata: ${data}\n\n`);
  }

  /** A comment that keeps proxies and clients from closing the stream. */
  beat(): void {
    this.#write(":\n\n");
  }

  /** Ends it in order. `why` is for people who read the stream. */
  end(why: string, retryMs?: number): void {
    if (!this.isOpen) return;
    this.#write(`${retryMs === undefined ? "" : `retry: ${retryMs}\n`}: ${why}\n\n`);
    this.#response.end();
  }

  /** Resolves when it can be written again, or the client is gone. */
  async room(): Promise<void> {
    if (!this.isOpen || !this.#response.writableNeedDrain) return;
    const patience = setTimeout(() => this.#response.destroy(), stallMs);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.once("drain", resolve);
    await Promise.race([promise, this.closed]);
    this.#response.off("drain", resolve);
    clearTimeout(patience);
  }

  #write(text: string): void {
    if (!this.isOpen) return;
    this.#response.write(text);
    if (this.#response.writableLength > this.#mostWaiting) this.#response.destroy();
  }
}
