// What happens to a body that is still arriving when its request has been answered (401, 404, 413, a DELETE). It is
// read and discarded, so that a client that is still sending sees the response instead of a reset connection, and a
// small one leaves the connection usable; but only up to a limit, and of all connections together only so much a
// second. Node alone would read any amount as fast as it comes, and others would wait for garbage collection.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { leastPieceBytes } from "./body-memory.ts";

export interface UnreadBodySettings {
  /** How much of one body is read so that the client sees the response. */
  readonly mostBytes: number;
  /** How much is discarded at once, and then in each second, of all connections of a server. */
  readonly burstBytes: number;
  readonly bytesPerSecond: number;
}

const mebibyte = 1024 * 1024;
const defaults: UnreadBodySettings = {
  mostBytes: 16 * mebibyte,
  burstBytes: 4 * mebibyte,
  bytesPerSecond: 4 * mebibyte,
};
const resumeEveryMs = 50;
/** The size of one piece, as Node reads a socket. */
const pieceBytes = 64 * 1024;

export function discardUnreadBodies(server: Server, settings: Partial<UnreadBodySettings> = {}): void {
  const pace = new DiscardPace({ ...defaults, ...settings });
  server.on("request", (request, response) => {
    if (!mayHaveBody(request)) return;
    // At "finish" it would be too late: by then Node is discarding the body itself.
    response.once("prefinish", () => {
      if (!request.complete) discard(request, response, pace);
    });
  });
}

/** Whether it has a body: with neither of these headers it has none (RFC 9112, section 6.3). */
export function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function discard(request: IncomingMessage, response: ServerResponse, pace: DiscardPace): void {
  const { socket } = request;
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    const bytes = Math.max(chunk.length, leastPieceBytes);
    length += bytes;
    if (length > pace.settings.mostBytes) socket.destroy();
    else pace.spend(request, bytes);
  });
  const isLast = !response.shouldKeepAlive || response.getHeader("connection") === "close";
  if (!isLast) return;
  // With this Node closes a connection after its last response. Closed while data is arriving it would be reset, so
  // only our side is ended, and the rest when everything has arrived (or too much, or the time for a request is over).
  socket.destroySoon = () => {
    socket.end();
    if (request.readableEnded) socket.destroy();
    else request.once("end", () => socket.destroy());
  };
}

/** Bodies queue once the current allowance is spent; TCP flow control slows their senders. */
class DiscardPace {
  readonly settings: UnreadBodySettings;
  readonly #waiting = new Set<IncomingMessage>();
  #left: number;
  #countedAt = performance.now();

  constructor(settings: UnreadBodySettings) {
    this.settings = settings;
    this.#left = settings.burstBytes;
  }

  /** Pauses the request if the allowance is spent: Node stops reading its connection with the next piece. */
  spend(request: IncomingMessage, bytes: number): void {
    this.#replenish();
    this.#left -= bytes;
    if (this.#left > 0) return;
    request.pause();
    if (this.#waiting.size === 0) setTimeout(() => this.#resume(), resumeEveryMs).unref();
    this.#waiting.add(request);
  }

  #replenish(): void {
    const now = performance.now();
    const { burstBytes, bytesPerSecond } = this.settings;
    this.#left = Math.min(burstBytes, this.#left + ((now - this.#countedAt) / 1000) * bytesPerSecond);
    this.#countedAt = now;
  }

  #resume(): void {
    this.#replenish();
    let pieces = Math.ceil(this.#left / pieceBytes);
    for (const request of this.#waiting) {
      if (!request.destroyed && pieces-- <= 0) break;
      this.#waiting.delete(request);
      request.resume();
    }
    if (this.#waiting.size > 0) setTimeout(() => this.#resume(), resumeEveryMs).unref();
  }
}
