// A body in many small pieces, such as chunks of one byte. Each piece costs a call from Node's parser, and one read of
// a socket may hold 10,900 of them, which are all handed over before another client gets a turn. So after
// `mostSmallPieces` the body ends: the parser hands over no more, which skips the rest of the read in a fifth of the
// time, and the connection is closed with the response. json-body.ts rejects such a body.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { leastPieceBytes, mostSmallPieces } from "./body-memory.ts";
import { mayHaveBody } from "./unread-bodies.ts";

const cut = new WeakSet<IncomingMessage>();

export function limitSmallPieces(server: Server): void {
  server.on("request", (request, response) => {
    if (mayHaveBody(request)) countPieces(request, response);
  });
}

/** Whether the body was ended because it came in too many small pieces. */
export function hasTooManyPieces(request: IncomingMessage): boolean {
  return cut.has(request);
}

function countPieces(request: IncomingMessage, response: ServerResponse): void {
  const push = request.push;
  let small = 0;
  request.push = (piece: Buffer | null, encoding) => {
    if (piece === null || piece.length >= leastPieceBytes || ++small <= mostSmallPieces)
      return push.call(request, piece, encoding);
    cut.add(request);
    skipRest(request.socket);
    closeWithResponse(request.socket, response);
    request.push = () => false;
    request.complete = true; // Otherwise Node closes the connection at the end of the body, without a response.
    push.call(request, null);
    return false; // With this Node stops reading the socket.
  };
}

/** Where Node's parser has the function that takes a piece of a body. */
const onBody = 3;

/** Until the connection is closed. Parsers serve one connection after another, so it is restored then. */
function skipRest(socket: Socket): void {
  // The parser is not in Node's types. If it is missing, pieces are passed on as before, and only cost more.
  const { parser } = socket as Socket & { readonly parser?: Record<number, unknown> | null };
  const handsOver = parser?.[onBody];
  if (!parser || typeof handsOver !== "function") return;
  parser[onBody] = undefined;
  socket.once("close", () => {
    parser[onBody] = handsOver;
  });
}

/** How long a client may read the response, with the rest of the body unread, before its connection is closed. */
const readMs = 1000;

function closeWithResponse(socket: Socket, response: ServerResponse): void {
  // Closed while data is arriving, it would be reset, and the client might lose the response: our side is ended first.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), readMs).unref();
  };
  if (!response.headersSent) response.shouldKeepAlive = false;
  if (response.writableFinished) socket.destroy();
  else response.once("finish", () => socket.destroySoon());
}
