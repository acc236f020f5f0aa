// What the engine's probe finds at the addresses of the fake's guests: something that greets as an SSH server does, where a
// server runs and answers. One listener for all loopback addresses, so that one port serves every guest.

import { createServer, type Socket } from "node:net";
import type { FakeServer } from "./servers.ts";

export interface SshDoor {
  readonly port: number;
  /** The addresses that were knocked at, in order. */
  readonly knocks: string[];
  close(): Promise<void>;
}

/** On a free port. Where no server runs it ends the connection. */
export async function openSshDoor(serverAt: (address: string) => FakeServer | undefined): Promise<SshDoor> {
  const knocks: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    const address = socket.localAddress ?? "";
    knocks.push(address);
    socket.on("error", () => {});
    if (serverAt(address) === undefined) socket.destroy();
    else socket.write("SSH-2.0-fake\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: a TCP server without a port");
  const close = () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    return closed;
  };
  return { port: address.port, knocks, close };
}
