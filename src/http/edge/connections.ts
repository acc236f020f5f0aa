// The open connections of all ports: limited in all and for each address, and ended in order.
//
// Limited: where there are as many as may be, in all or of the new connection's address, the new one makes another one
// end. First come connections on which no token was verified, oldest first, whatever they are doing, so that unfinished
// heads, bodies and unread responses keep nobody out; then those that have been idle longest. Where all others work for
// verified tokens, the new one is `excess`: its requests are rejected. What is over the limit of an address ends
// connections of that address only.
//
// Ended in order: a stop ends those without a request in progress. Node's closeIdleConnections leaves those that have
// not sent a whole head yet, and a stop would wait for them to its deadline.

import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/** How many requests may be unanswered on one connection. Only who floods it sends more without waiting for responses. */
const mostUnanswered = 64;
/** How many may wait beyond the limit to be rejected politely. Beyond that they are cut. */
const excessCount = 500;
/** How long a stop takes in connections that come faster than they can be taken in: Node takes one a turn. */
const takingInMs = 2000;
/** How long responses in progress may take to finish where nothing more can be read. */
const finishMs = 10_000;

interface Connection {
  /** Undefined: of a proxy, which has no limit of its own. */
  readonly address: string | undefined;
  /** Of its address, where that has a limit, and of all. */
  readonly groups: readonly Group[];
  /** How many responses are in progress. */
  pending: number;
  /** A token was verified on it. */
  verified: boolean;
  /** It was one too many when it came. */
  excess: boolean;
  /** To the request that came last, until that has come whole and is answered. */
  last: ServerResponse | undefined;
  /** Where nothing more can be read: with how many responses pending it ends. */
  endsWith: number | undefined;
}

/** Connections with one limit, and which of them may end for others: each kind in the order in which they do. */
class Group {
  readonly most: number;
  count = 0;
  readonly unverified = new Set<Socket>();
  /** Verified, without a request. */
  readonly idle = new Set<Socket>();

  constructor(most: number) {
    this.most = most;
  }

  /** The one that ends first. */
  first(): Socket | undefined {
    for (const socket of this.unverified) return socket;
    for (const socket of this.idle) return socket;
    return undefined;
  }
}

export interface ConnectionsOptions {
  readonly most?: number;
  readonly mostPerAddress?: number;
  /** What the limit per address counts as one; undefined for what it does not count. By default the remote address. */
  readonly addressOf?: (socket: Socket) => string | undefined;
  /** Told of each connection that was ended for a new one. */
  readonly onEnded?: () => void;
}

export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #all: Group;
  readonly #ofAddress = new Map<string, Group>();
  readonly #mostPerAddress: number;
  readonly #addressOf: (socket: Socket) => string | undefined;
  readonly #onEnded: () => void;
  #accepted = 0;
  #ending = false;
  #tellEmpty: (() => void) | undefined;

  constructor({
    most = Number.POSITIVE_INFINITY,
    mostPerAddress = Number.POSITIVE_INFINITY,
    addressOf = ({ remoteAddress }) => remoteAddress,
    onEnded = () => {},
  }: ConnectionsOptions = {}) {
    this.#all = new Group(most);
    this.#mostPerAddress = mostPerAddress;
    this.#addressOf = addressOf;
    this.#onEnded = onEnded;
  }

  get open(): number {
    return this.#open.size;
  }

  /** Whether this connection is one too many. */
  isExcess(socket: Socket): boolean {
    return this.#open.get(socket)?.excess === true;
  }

  /** A token was verified on it: from now on it ends for another one only while it is idle. */
  verified(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined || connection.verified) return;
    connection.verified = true;
    for (const { unverified, idle } of connection.groups) {
      unverified.delete(socket);
      if (connection.pending === 0) idle.add(socket);
    }
  }

  /** Call it before the server listens. */
  watch(server: Server): void {
    server.on("connection", (socket) => this.#came(socket));
    server.on("request", (request, response) => this.#asked(request.socket, response));
  }

  /**
   * Nothing more can be read from this connection. True: an error response is next on it, so it may be sent. Otherwise
   * that would be taken for the response to an earlier request: then responses in progress are finished, for ten seconds at
   * most, and the connection ends without another one.
   */
  inputEnded(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    if (connection.endsWith !== undefined) return false;
    const { last, pending } = connection;
    const isUnfinished = last?.req.complete === false;
    if (isUnfinished ? pending === 1 && !last?.headersSent : pending === 0) return true;
    // A request that has not come whole is never answered.
    connection.endsWith = isUnfinished && last?.writableFinished === false ? 1 : 0;
    if (pending <= connection.endsWith) endSoon(socket);
    else setTimeout(() => socket.destroy(), finishMs).unref();
    return false;
  }

  /** Ends idle connections now, busy ones with their last response, and new ones as they come. */
  endIdle(): void {
    this.#ending = true;
    for (const [socket, { pending }] of this.#open) if (pending === 0) socket.destroy();
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
    if (this.open >= this.#all.most + excessCount) {
      socket.destroy();
      return;
    }
    const address = this.#addressOf(socket);
    // Of its address first: what ends for that makes room in all.
    const excess = [this.#groupOf(address), this.#all].some((group) => isFull(group) && !this.#endOne(group));
    // Anew, for what has ended may have been the last one of this address.
    const ofAddress = this.#groupOf(address);
    const groups = ofAddress === undefined ? [this.#all] : [ofAddress, this.#all];
    if (address !== undefined && ofAddress !== undefined) this.#ofAddress.set(address, ofAddress);
    for (const group of groups) {
      group.count += 1;
      group.unverified.add(socket);
    }
    const nothingYet = { pending: 0, verified: false, last: undefined, endsWith: undefined };
    this.#open.set(socket, { address, groups, excess, ...nothingYet });
    socket.once("close", () => this.#gone(socket));
    if (this.#ending) socket.destroy();
  }

  #groupOf(address: string | undefined): Group | undefined {
    return address === undefined ? undefined : (this.#ofAddress.get(address) ?? new Group(this.#mostPerAddress));
  }

  /** Whether there was one. */
  #endOne(group: Group): boolean {
    const first = group.first();
    if (first === undefined) return false;
    // Before it has closed, so that the next one does not choose it again.
    this.#gone(first);
    first.destroy();
    this.#onEnded();
    return true;
  }

  #asked(socket: Socket, response: ServerResponse): void {
    if (socket.destroyed) return;
    const connection = this.#open.get(socket);
    if (connection !== undefined) {
      if (connection.pending === 0 && connection.verified)
        for (const { idle } of connection.groups) idle.delete(socket);
      connection.pending += 1;
      connection.last = response;
      if (connection.pending > mostUnanswered) cut(socket);
    }
    response.on("close", this.#answered);
  }

  /** One for all responses, with the response as `this`: it comes once, and a listener for each costs as much as the rest. */
  readonly #answered = answeredBy((response) => this.#hasAnswered(response));

  #hasAnswered(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.pending -= 1;
    if (connection.last === response && response.req.complete) connection.last = undefined;
    if (connection.endsWith !== undefined && connection.pending <= connection.endsWith) endSoon(socket);
    if (connection.pending > 0) return;
    // There may be places again.
    if (connection.excess) connection.excess = connection.groups.some(({ count, most }) => count > most);
    for (const { unverified, idle } of connection.groups) {
      const order = connection.verified ? idle : unverified;
      order.delete(socket);
      order.add(socket);
    }
    if (this.#ending) socket.destroy();
  }

  #gone(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    const { address, groups } = connection;
    this.#open.delete(socket);
    for (const group of groups) {
      group.count -= 1;
      group.unverified.delete(socket);
      group.idle.delete(socket);
      if (group.count === 0 && address !== undefined && group !== this.#all) this.#ofAddress.delete(address);
    }
    if (this.open === 0) this.#tellEmpty?.();
  }
}

const isFull = (group: Group | undefined): group is Group => group !== undefined && group.count >= group.most;

/**
 * With what it has sent: 64 KiB are 3600 requests, and Node would make objects of all of them in one turn, and an error of
 * each once the connection has closed. Its parser has no public way to be stopped; were `onIncoming` named otherwise one day,
 * cached/fast-path.ts still passes over those requests.
 */
function cut(socket: Socket): void {
  const { parser }: { parser?: { onIncoming?: unknown } | null } = socket as object;
  // As for a request whose body is read as usual. Node sets it anew for each connection.
  if (parser) parser.onIncoming = () => 0;
  socket.destroy();
}

/** With what was written to it. */
function endSoon(socket: Socket): void {
  socket.end(() => socket.destroy());
}

/** A listener that is told whose event it is. */
function answeredBy(told: (response: ServerResponse) => void): (this: ServerResponse) => void {
  return function () {
    told(this);
  };
}
