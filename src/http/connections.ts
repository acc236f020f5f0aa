// The open connections of one port, so that a stop ends at once every one that no request is under way on. Node's
// closeIdleConnections leaves those that have not sent a whole head yet, and a stop would wait for them to its deadline.

import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

export interface Connections {
  /** Ends idle connections now, busy ones with their last answer, and new ones as they come. */
  endIdle(): void;
}

/** Call it before the server listens. */
export function trackConnections(server: Server): Connections {
  const answersUnderWay = new Map<Socket, Set<ServerResponse>>();
  let ending = false;

  function endIfIdle(socket: Socket): void {
    if (answersUnderWay.get(socket)?.size === 0) socket.destroy();
  }

  server.on("connection", (socket) => {
    answersUnderWay.set(socket, new Set());
    socket.once("close", () => answersUnderWay.delete(socket));
    if (ending) endIfIdle(socket);
  });
  server.on("request", ({ socket }, response) => {
    const answers = answersUnderWay.get(socket);
    answers?.add(response);
    response.once("close", () => {
      answers?.delete(response);
      if (ending) endIfIdle(socket);
    });
  });

  return {
    endIdle() {
      ending = true;
      for (const socket of answersUnderWay.keys()) endIfIdle(socket);
    },
  };
}
