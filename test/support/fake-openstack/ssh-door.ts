// What the engine's probe finds at the addresses of the fake's guests: something that greets as an SSH server does, where a
// server runs and answers. One listener for all loopback addresses, so that one port serves every guest.

import { createServer } from "node:net";
import type { FakeServer } from "./servers.ts";

export interface SshDoor {
  readonly port: number;
  /** The addresses that somebody knocked at, in order. */
  readonly knocks: string[];
  close(): Promise<void>;
}

/** On a free port. Where no server runs it ends the connection. */
export async function openSshDoor(serverAt: (address: string) => FakeServer | undefined): Promise<SshDoor> {
  const knocks: string[] = [];
  const server = createServer((socket) => {
    const address = socket.localAddress ?? "";
    knocks.push(address);
    socket.on("error", () => {});
    if (serverAt(address) === undefined) socket.destroy();
    else socket.write("SSH-2.0-fake\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: a TCP server without a port");
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: address.port, knocks, close };
}
