// What the engine's probe finds at the addresses of fake guests: something that greets as an SSH server does, where a
// guest is up. One listener for all loopback addresses, so that one port serves every guest.

import { createServer } from "node:net";
import type { FakeWorld } from "./fake-libvirt.ts";

export interface SshDoor {
  readonly port: number;
  /** The addresses that were knocked at, in order. */
  readonly knocks: string[];
  close(): Promise<void>;
}

/** On a free port. Where no guest is up it ends the connection. */
export async function openSshDoor(world: FakeWorld): Promise<SshDoor> {
  const knocks: string[] = [];
  const server = createServer((socket) => {
    const address = socket.localAddress ?? "";
    knocks.push(address);
    socket.on("error", () => {});
    if (world.guestAt(address)?.answersSsh === true) socket.write("SSH-2.0-fake\r\n");
    else socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: a TCP server without a port");
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return { port: address.port, knocks, close };
}
