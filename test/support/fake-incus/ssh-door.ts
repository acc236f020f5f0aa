// Something that greets as an SSH server does, for the engine's probe.

import { createServer } from "node:net";
import { afterTest } from "../when-over.ts";

export interface SshDoor {
  readonly port: number;
  /** Whether it greets; one that does not ends the connection. */
  open: boolean;
  /** How often somebody knocked. */
  knocks: number;
}

/** On a free port of 127.0.0.1, until the test is over. */
export async function openSshDoor(): Promise<SshDoor> {
  const server = createServer((socket) => {
    door.knocks++;
    socket.on("error", () => {});
    if (door.open) socket.write("SSH-2.0-fake\r\n");
    else socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterTest(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("BUG: a TCP server without a port");
  const door: SshDoor = { port: address.port, open: true, knocks: 0 };
  return door;
}
