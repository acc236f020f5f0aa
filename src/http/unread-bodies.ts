// What happens to a body that is still coming when its request has been answered (401, 404, 413, a DELETE). It is read
// on and thrown away, so that a client who is still sending gets to see the answer instead of a reset connection, and a
// small one leaves the connection usable; but only up to a bound. Node alone would swallow any amount.

import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** How much is read for the sake of a proper answer. */
const discardBytes = 16 * 1024 * 1024;

export function discardUnreadBodies(server: Server): void {
  server.on("request", (request, response) => {
    if (!mayHaveBody(request)) return;
    // At "finish" it would be too late: by then Node has taken the body to throw it away.
    response.once("prefinish", () => {
      if (!request.complete) discard(request, response);
    });
  });
}

/** Whether it has a body: what has neither of these headers has none (RFC 9112, section 6.3). */
export function mayHaveBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function discard(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request;
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > discardBytes) socket.destroy();
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
