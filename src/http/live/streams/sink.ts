// The way to one client of server-sent events (HTML standard, "Server-sent events"). Invariant: what waits to be sent to
// it is bounded; a client that does not read is cut off, and goes on where it was when it comes back.

import type { ServerResponse } from "node:http";

/** So much may wait for a client that does not read. */
export const mostWaitingBytes = 1_048_576;
/** A client that has read nothing for so long while something waits is gone. */
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
    // One that has closed already will not say so again.
    const isClosed = response.destroyed || response.closed;
    this.closed = isClosed ? Promise.resolve() : new Promise((resolve) => response.once("close", resolve));
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** The first thing sent: where a client that comes back goes on, also when nothing has happened yet. */
  begin(cursor: string, retryMs: number): void {
    this.#write(`retry: ${retryMs}\nid: ${cursor}\n\n`);
  }

  /** `data` has no line ends. */
  send(cursor: string, data: string): void {
    this.#write(`id: ${cursor}\ndata: ${data}\n\n`);
  }

  /** A comment that keeps proxies and clients from taking the stream for dead. */
  beat(): void {
    this.#write(":\n\n");
  }

  /** Ends it in order. `why` is for people who look at the stream. */
  end(why: string, retryMs?: number): void {
    if (!this.isOpen) return;
    this.#write(`${retryMs === undefined ? "" : `retry: ${retryMs}\n`}: ${why}\n\n`);
    this.#response.end();
  }

  /** Resolves when there is room again, or the client is gone. */
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
