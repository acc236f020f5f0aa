// Requests to become a WebSocket. Node emits them separately, with a bare socket; here they are turned into normal
// requests again, so that the same hooks apply: limits, authorization, audit log, the one error body. A terminal takes
// over the socket; with any other response, the connection ends.
//
// Only requests for a WebSocket are taken: some clients offer HTTP/2 on every request (`Upgrade: h2c`), and those stay
// normal requests. Used by ../server.ts and by terminals.ts.

import { type IncomingMessage, type Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** What taking over the connection needs. */
export interface Upgrade {
  readonly socket: Duplex;
  /** The bytes after the head of the request. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** For Node's `shouldUpgradeCallback`. */
export function asksForWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers.upgrade?.toLowerCase() === "websocket";
}

/**
 * Call it after all other request listeners are added. `mayRespond`: whether a response is next on a connection from
 * which no more requests come. With earlier requests unanswered, a request for a WebSocket gets none.
 */
export function takeUpgrades(server: Server, mayRespond: (socket: Socket) => boolean): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Node no longer listens for its errors.
    socket.on("error", () => socket.destroy());
    if (!mayRespond(socket as Socket)) return; // node:http passes a Socket
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.once("finish", () => (socket as Socket).destroySoon());
    upgrades.set(request, { socket, head });
    server.emit("request", request, response);
  });
}

/** Undefined for a request that did not ask for a WebSocket. */
export function upgradeOf(request: IncomingMessage): Upgrade | undefined {
  return upgrades.get(request);
}

/**
 * What is wrong with the request for a WebSocket (RFC 6455, section 4.2.1), as a sentence; undefined: nothing. Checked
 * before a terminal is opened for it.
 */
export function whyNoWebSocket(request: IncomingMessage): string | undefined {
  const { "sec-websocket-key": key = "", "sec-websocket-version": version } = request.headers;
  if (upgradeOf(request) === undefined) return "it must request a WebSocket: Upgrade: websocket.";
  if (!/^[+/0-9A-Za-z]{22}==$/.test(key)) return "its Sec-WebSocket-Key is missing or malformed.";
  return version === "13" ? undefined : "its Sec-WebSocket-Version is not 13.";
}
