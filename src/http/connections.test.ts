// A stop waits for requests, not for connections.

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { trackConnections } from "./connections.ts";

/** A server that answers when it is told to. */
async function started() {
  const finish: (() => void)[] = [];
  const server = createServer((_request, response) => void finish.push(() => response.end("done")));
  const connections = trackConnections(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port
  const open = async (sent: string) => {
    const accepted = once(server, "connection");
    const socket = connect(port, "127.0.0.1");
    sockets.push(socket);
    await accepted;
    socket.write(sent);
    return { socket, ended: once(socket, "close") };
  };
  return { server, connections, finish, open };
}

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const head = "GET / HTTP/1.1\r\nHost: x\r\n";

describe("ending idle connections", () => {
  it.each([
    ["nothing", ""],
    ["a part of a request's head", head],
  ])("ends at once one that sent %s", async (_what, sent) => {
    const { server, connections, open } = await started();
    const { ended } = await open(sent);
    const closed = once(server, "close");
    server.close();
    connections.endIdle();
    await Promise.all([ended, closed]);
  });

  it("ends at once one whose request has been answered", async () => {
    const { server, connections, finish, open } = await started();
    const { socket, ended } = await open("");
    const asked = once(server, "request");
    socket.write(`${head}\r\n`);
    await asked;
    finish[0]?.();
    await once(socket, "data");
    connections.endIdle();
    await ended;
    server.close();
  });

  it("lets a request under way have its answer, and ends its connection with that", async () => {
    const { server, connections, finish, open } = await started();
    const { socket, ended } = await open("");
    const asked = once(server, "request");
    socket.write(`${head}\r\n`);
    await asked;
    connections.endIdle();
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    finish[0]?.();
    await ended;
    expect(answer).toMatch(/^HTTP\/1.1 200 OK[\s\S]*done/);
    server.close();
  });

  it("ends those that come later too", async () => {
    const { server, connections, open } = await started();
    connections.endIdle();
    await (await open("")).ended;
    server.close();
  });
});
