// The minimum rate of a request body: measured in each window, plus a deadline for the whole body where the route has
// one. A slower body gets a 408, and its connection ends. Node's own limit, a minute for a whole request, would let one
// byte a second keep a connection for that long.
//
// The connection counts the bytes, so pieces of a body cost nothing here. While the service itself does not read (a
// token is being looked up, and the buffers are full), the client is not at fault and the window restarts.
//
// Invariant: a body that has arrived whole is not watched. Used by server.ts, for all ports together.

import type { IncomingMessage, Server } from "node:http";
import { mayHaveBody } from "./unread-bodies.ts";

export interface BodyRateSettings {
  readonly windowMs?: number;
  readonly leastBytesPerSecond?: number;
  /** Monotonic milliseconds, for tests. */
  readonly now?: () => number;
}

interface Watched {
  readonly server: Server;
  windowFrom: number;
  /** What the connection had read when the window began. */
  bytesBefore: number;
  /** When the body must be complete. */
  deadline: number;
}

const checkEveryMs = 1000;

export class BodyRate {
  readonly #watched = new Map<IncomingMessage, Watched>();
  readonly #deadlines = new WeakMap<IncomingMessage, number>();
  readonly #windowMs: number;
  readonly #leastBytes: number;
  readonly #now: () => number;
  readonly #timer: NodeJS.Timeout;

  /** 1 KiB a second, in every 10 seconds. */
  constructor({ windowMs = 10_000, leastBytesPerSecond = 1024, now = () => performance.now() }: BodyRateSettings = {}) {
    this.#windowMs = windowMs;
    this.#leastBytes = (leastBytesPerSecond * windowMs) / 1000;
    this.#now = now;
    this.#timer = setInterval(() => this.check(), checkEveryMs).unref();
  }

  /** Call it before the server listens. */
  watch(server: Server): void {
    server.on("request", (request) => {
      if (!mayHaveBody(request)) return;
      // Most bodies arrive with their heads, and are complete once the received data has been read.
      process.nextTick(() => {
        if (!request.complete) this.#begin(server, request);
      });
    });
  }

  /** The body of this request must be complete within this time from now, besides the minimum rate. */
  limit(request: IncomingMessage, withinMs: number): void {
    const deadline = this.#now() + withinMs;
    const watched = this.#watched.get(request);
    if (watched === undefined) this.#deadlines.set(request, deadline);
    else watched.deadline = deadline;
  }

  /** Ends requests that are too slow now. Called every second. */
  check(): void {
    const now = this.#now();
    for (const [request, watched] of this.#watched) {
      const { socket } = request;
      if (request.complete || socket.destroyed) this.#watched.delete(request);
      else if (now >= watched.deadline || !this.#isFastEnough(request, watched, now)) {
        this.#watched.delete(request);
        // As Node reports a request that did not arrive within a minute.
        watched.server.emit("clientError", new BodyTimeout(), socket);
      }
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #begin(server: Server, request: IncomingMessage): void {
    this.#watched.set(request, {
      server,
      windowFrom: this.#now(),
      bytesBefore: request.socket.bytesRead,
      deadline: this.#deadlines.get(request) ?? Number.POSITIVE_INFINITY,
    });
  }

  #isFastEnough(request: IncomingMessage, watched: Watched, now: number): boolean {
    const { bytesRead } = request.socket;
    const isOurTurn = request.readableLength >= request.readableHighWaterMark;
    if (!isOurTurn && now - watched.windowFrom < this.#windowMs) return true;
    if (!isOurTurn && bytesRead - watched.bytesBefore < this.#leastBytes) return false;
    watched.windowFrom = now;
    watched.bytesBefore = bytesRead;
    return true;
  }
}

class BodyTimeout extends Error {
  /** The code of Node's own error for it. */
  readonly code = "ERR_HTTP_REQUEST_TIMEOUT";
}
