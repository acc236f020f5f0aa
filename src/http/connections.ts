// The open connections of all ports: bounded, and ended in order.
//
// Bounded: where there are as many as may be, a new one makes the one that has been idle longest end, so ten thousand
// connections that do nothing keep nobody out. Where none is idle the new one is `excess`: its request is refused.
//
// Ended in order: a stop ends those that no request is under way on. Node's closeIdleConnections leaves those that have
// not sent a whole head yet, and a stop would wait for them to its deadline.

import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/** How many requests may be unanswered on one connection. Only who floods it sends more without waiting for answers. */
const mostUnanswered = 64;
/** How many may wait beyond the bound to be refused politely. Beyond that they are cut. */
const excessRoom = 500;
/** How long a stop takes in connections that come faster than they can be taken in: Node takes one a turn. */
const takingInMs = 2000;

export class Connections {
  /** By socket, how many answers are under way on it. */
  readonly #answers = new Map<Socket, number>();
  /** Without an answer under way; idle longest first. */
  readonly #idle = new Set<Socket>();
  readonly #excess = new WeakSet<Socket>();
  readonly #most: number;
  readonly #onMadeRoom: () => void;
  #accepted = 0;
  #ending = false;
  #tellEmpty: (() => void) | undefined;

  /** `onMadeRoom` is told of each idle connection that was ended for a new one. */
  constructor({ most = Number.POSITIVE_INFINITY, onMadeRoom = () => {} } = {}) {
    this.#most = most;
    this.#onMadeRoom = onMadeRoom;
  }

  get open(): number {
    return this.#answers.size;
  }

  /** Whether this connection was one too many when it came. */
  isExcess(socket: Socket): boolean {
    return this.#excess.has(socket);
  }

  /** Call it before the server listens. */
  watch(server: Server): void {
    server.on("connection", (socket) => this.#came(socket));
    server.on("request", (request, response) => this.#asked(request.socket, response));
  }

  /** Ends idle connections now, busy ones with their last answer, and new ones as they come. */
  endIdle(): void {
    this.#ending = true;
    for (const socket of this.#idle) socket.destroy();
  }

  /** Resolves when no connection is open, or after so many milliseconds. */
  async empty(withinMs: number): Promise<void> {
    if (this.open === 0 || withinMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tellEmpty = resolve;
    const timer = setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
  }

  /**
   * Ends the listening of these servers, and nothing else. Connections that the kernel has accepted and Node has not
   * taken in would be reset by that, with requests in them; so they are taken in first. That is done when a turn of the
   * event loop brought none.
   */
  async stopListening(servers: readonly Server[]): Promise<void> {
    const began = performance.now();
    for (let before = -1; before !== this.#accepted && performance.now() - began < takingInMs; ) {
      before = this.#accepted;
      await nextTurn();
      await nextTurn();
    }
    // Node's own close of an HTTP server would cut idle connections at the same time.
    for (const server of servers) NetServer.prototype.close.call(server);
  }

  #came(socket: Socket): void {
    this.#accepted += 1;
    if (this.open >= this.#most + excessRoom) {
      socket.destroy();
      return;
    }
    if (this.open >= this.#most) this.#makeRoomFor(socket);
    this.#answers.set(socket, 0);
    this.#idle.add(socket);
    socket.once("close", () => this.#gone(socket));
    if (this.#ending) socket.destroy();
  }

  #makeRoomFor(socket: Socket): void {
    const [longestIdle] = this.#idle;
    if (longestIdle === undefined) {
      this.#excess.add(socket);
      return;
    }
    // Before it has closed, so that the next one does not choose it again.
    this.#gone(longestIdle);
    longestIdle.destroy();
    this.#onMadeRoom();
  }

  #asked(socket: Socket, response: ServerResponse): void {
    const before = this.#answers.get(socket);
    if (before === 0) this.#idle.delete(socket);
    if (before !== undefined) this.#answers.set(socket, before + 1);
    // The parser goes on to the end of what it has; overload.ts refuses what comes of that.
    if (before !== undefined && before >= mostUnanswered) socket.destroy();
    response.on("close", this.#answered);
  }

  /** One for all answers, with the answer as `this`: it comes once, and a listener for each costs as much as the rest. */
  readonly #answered = answeredBy((response) => this.#hasAnswered(response.req.socket));

  #hasAnswered(socket: Socket): void {
    const before = this.#answers.get(socket);
    if (before === undefined) return;
    this.#answers.set(socket, before - 1);
    if (before > 1) return;
    this.#idle.add(socket);
    if (this.#ending) socket.destroy();
  }

  #gone(socket: Socket): void {
    this.#answers.delete(socket);
    this.#idle.delete(socket);
    if (this.open === 0) this.#tellEmpty?.();
  }
}

/** A listener that is told whose event it is. */
function answeredBy(told: (response: ServerResponse) => void): (this: ServerResponse) => void {
  return function () {
    told(this);
  };
}
