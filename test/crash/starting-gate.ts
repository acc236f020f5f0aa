// A way to a database on which the first so many connections are held until all of them have come, and then go at the
// same moment: programs that start on a busy machine would otherwise come one after the other, and never race.

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { WhenOver } from "../support/when-over.ts";

/** `url` is a socket's, as the embedded server's are; gives the address of the gate, over TCP. */
export async function startingGate(url: string, runners: number, whenOver: WhenOver): Promise<string> {
  const [, user, database, directory] = /^postgresql:\/\/([^@]*)@\/([^?]*)\?host=(.*)$/.exec(url) ?? [];
  if (user === undefined || database === undefined || directory === undefined)
    throw new Error("not a socket's address");
  const held: Socket[] = [];
  const sockets = new Set<Socket>();
  let isOpen = false;
  const pass = (client: Socket) => {
    const server = connect(`${decodeURIComponent(directory)}/.s.PGSQL.5432`);
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {}); // what "close" tells
      one.once("close", () => other.destroy());
      one.pipe(other);
    }
  };
  const gate = createServer((client) => {
    if (isOpen) return pass(client);
    held.push(client);
    if (held.length < runners) return;
    isOpen = true;
    held.forEach(pass);
  });
  gate.listen(0, "127.0.0.1");
  await once(gate, "listening");
  whenOver(() => {
    gate.close();
    for (const socket of [...sockets, ...held]) socket.destroy();
  });
  const { port } = gate.address() as AddressInfo; // it listens on a port
  return `postgresql://${user}@127.0.0.1:${port}/${database}`;
}
