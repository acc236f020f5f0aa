// What happens to a body that is still coming when its request has been answered (401, 404, 413, a DELETE). It is read
// on and thrown away, so that a client who is still sending gets to see the answer instead of a reset connection, and a
// small one leaves the connection usable; but only up to a bound, and of all connections together only so much a second.
// Node alone would swallow any amount as fast as it comes, and everybody else would wait while that memory is collected.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { leastPieceBytes } from "./body-memory.ts";

export interface UnreadBodySettings {
  /** How much of one body is read for the sake of a proper answer. */
  readonly mostBytes: number;
  /** What is thrown away at once, and then in each second, of all connections of a server. */
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
/** What comes in one piece, as Node reads a socket. */
const pieceBytes = 64 * 1024;

export function discardUnreadBodies(server: Server, settings: Partial<UnreadBodySettings> = {}): void {
  const pace = new DiscardPace({ ...defaults, ...settings });
  server.on("request", (request, response) => {
    if (!mayHaveBody(request)) return;
    // At "finish" it would be too late: by then Node has taken the body to throw it away.
    response.once("prefinish", () => {
      if (!request.complete) discard(request, response, pace);
    });
  });
}

/** Whether it has a body: what has neither of these headers has none (RFC 9112, section 6.3). */
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
  // With this Node closes a connection after its last answer. Closed while data is coming in it would be reset, so only
  // our side is ended, and the rest when all has come (or too much, or the time for a request is over).
  socket.destroySoon = () => {
    socket.end();
    if (request.readableEnded) socket.destroy();
    else request.once("end", () => socket.destroy());
  };
}

/** Bodies wait in line once the bytes of this moment are spent; their senders wait for their windows, as TCP has it. */
class DiscardPace {
  readonly settings: UnreadBodySettings;
  readonly #waiting = new Set<IncomingMessage>();
  #left: number;
  #countedAt = performance.now();

  constructor(settings: UnreadBodySettings) {
    this.settings = settings;
    this.#left = settings.burstBytes;
  }

  /** Pauses the request where no more may come at once: Node stops reading its connection with the next piece. */
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
