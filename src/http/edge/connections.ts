// The open connections of all ports: limited in total and per address, and closed in order.
//
// Limits: if the total or the new connection's address is at its limit, a new connection closes another one. First come
// connections on which no token was verified, oldest first, whatever they are doing, so that unfinished heads, bodies
// and unread responses cannot block others; then those that have been idle longest. If all others work for verified
// tokens, the new one is `excess`: its requests are rejected. Exceeding the limit of an address closes connections of
// that address only.
//
// Shutdown: a stop closes those without a request in progress. Node's closeIdleConnections leaves those that have not
// sent a whole head yet, and a stop would wait for them until its deadline.

import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";

/** How many requests may be unanswered on one connection. Only a flood sends more without waiting for responses. */
const mostUnanswered = 64;
/** How many connections beyond the limit get a rejection. More are cut. */
const excessCount = 500;
/** How long a stop accepts connections that keep arriving: Node accepts one per turn. */
const takingInMs = 2000;
/** How long responses in progress may take when nothing more can be read. */
const finishMs = 10_000;

interface Connection {
  /** Undefined: of a proxy, which has no limit per address. */
  readonly address: string | undefined;
  /** The group of its address, if that has a limit, and the group of all. */
  readonly groups: readonly Group[];
  /** How many responses are in progress. */
  pending: number;
  /** A token was verified on it. */
  verified: boolean;
  /** It exceeded a limit when it arrived. */
  excess: boolean;
  /** The response to the last request, until that has arrived whole and is answered. */
  last: ServerResponse | undefined;
  /** When nothing more can be read: the number of pending responses at which it ends. */
  endsWith: number | undefined;
}

/** Connections with one limit, and which of them may be closed for others: each kind in closing order. */
class Group {
  readonly most: number;
  count = 0;
  readonly unverified = new Set<Socket>();
  /** Verified, without a request. */
  readonly idle = new Set<Socket>();

  constructor(most: number) {
    this.most = most;
  }

  /** The one to close first. */
  first(): Socket | undefined {
    for (const socket of this.unverified) return socket;
    for (const socket of this.idle) return socket;
    return undefined;
  }
}

export interface ConnectionsOptions {
  readonly most?: number;
  readonly mostPerAddress?: number;
  /** What the limit per address counts by; undefined: not counted. Default: the remote address. */
  readonly addressOf?: (socket: Socket) => string | undefined;
  /** Called for each connection that was closed for a new one. */
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

  /** Whether this connection exceeds a limit. */
  isExcess(socket: Socket): boolean {
    return this.#open.get(socket)?.excess === true;
  }

  /** A token was verified on it: from now on it is closed for another one only while it is idle. */
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
   * it would be taken for the response to an earlier request: then responses in progress may finish, for ten seconds at
   * most, and the connection ends without another one.
   */
  inputEnded(socket: Socket): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined) return true;
    if (connection.endsWith !== undefined) return false;
    const { last, pending } = connection;
    const isUnfinished = last?.req.complete === false;
    if (isUnfinished ? pending === 1 && !last?.headersSent : pending === 0) return true;
    // A request that has not arrived whole is never answered.
    connection.endsWith = isUnfinished && last?.writableFinished === false ? 1 : 0;
    if (pending <= connection.endsWith) endSoon(socket);
    else setTimeout(() => socket.destroy(), finishMs).unref();
    return false;
  }

  /** Closes idle connections now, busy ones after their last response, and new ones as they arrive. */
  endIdle(): void {
    this.#ending = true;
    for (const [socket, { pending }] of this.#open) if (pending === 0) socket.destroy();
  }

  /** Resolves when no connection is open, or after this time. */
  async empty(withinMs: number): Promise<void> {
    if (this.open === 0 || withinMs <= 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#tellEmpty = resolve;
    const timer = setTimeout(resolve, withinMs);
    await promise;
    clearTimeout(timer);
  }

  /**
   * Stops the listening of these servers, and nothing else. That would reset connections that the kernel has accepted
   * and Node has not, with requests in them; so Node accepts them first. This is done when a turn of the event loop
   * brought none.
   */
  async stopListening(servers: readonly Server[]): Promise<void> {
    const began = performance.now();
    for (let before = -1; before !== this.#accepted && performance.now() - began < takingInMs; ) {
      before = this.#accepted;
      await nextTurn();
      await nextTurn();
    }
    // Node's own close of an HTTP server would also cut idle connections.
    for (const server of servers) NetServer.prototype.close.call(server);
  }

  #came(socket: Socket): void {
    this.#accepted += 1;
    if (this.open >= this.#all.most + excessCount) {
      socket.destroy();
      return;
    }
    const address = this.#addressOf(socket);
    // Of its address first: closing one there also frees a place in the total.
    const excess = [this.#groupOf(address), this.#all].some((group) => isFull(group) && !this.#endOne(group));
    // Looked up again, because the closed one may have been the last one of this address.
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

  /** Whether there was one to close. */
  #endOne(group: Group): boolean {
    const first = group.first();
    if (first === undefined) return false;
    // Before it has closed, so that it is not chosen again.
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

  /** One listener for all responses, with the response as `this`: a listener for each would double the cost. */
  readonly #answered = answeredBy((response) => this.#hasAnswered(response));

  #hasAnswered(response: ServerResponse): void {
    const { socket } = response.req;
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.pending -= 1;
    if (connection.last === response && response.req.complete) connection.last = undefined;
    if (connection.endsWith !== undefined && connection.pending <= connection.endsWith) endSoon(socket);
    if (connection.pending > 0) return;
    // Places may be free again.
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
 * Drops what it has sent: 64 KiB are 3600 requests, and Node would create objects for all of them in one turn, and an
 * error for each once the connection has closed. Its parser has no public way to stop it; should `onIncoming` be
 * renamed one day, cached/fast-path.ts still skips those requests.
 */
function cut(socket: Socket): void {
  const { parser }: { parser?: { onIncoming?: unknown } | null } = socket as object;
  // As for a request whose body is read as usual. Node sets it again for each connection.
  if (parser) parser.onIncoming = () => 0;
  socket.destroy();
}

/** Sends what was written to it first. */
function endSoon(socket: Socket): void {
  socket.end(() => socket.destroy());
}

/** A listener that receives the response of its event. */
function answeredBy(told: (response: ServerResponse) => void): (this: ServerResponse) => void {
  return function () {
    told(this);
  };
}
