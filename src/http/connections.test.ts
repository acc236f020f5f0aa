// Connections are bounded, and a stop waits for requests, not for connections.

import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Connections } from "./connections.ts";

/** A server that answers when it is told to. */
async function started(options: ConstructorParameters<typeof Connections>[0] = {}) {
  const finish: (() => void)[] = [];
  const server = createServer((_request, response) => void finish.push(() => response.end("done")));
  const connections = new Connections(options);
  connections.watch(server);
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

describe("more connections than may be", () => {
  it("end the one that has been idle longest, and are served themselves", async () => {
    let ended = 0;
    const { server, connections, finish, open } = await started({ most: 2, onMadeRoom: () => (ended += 1) });
    const first = await open("");
    const second = await open("");
    // The first one is busy and then idle again, so the second has been idle longer.
    first.socket.write(`${head}\r\n`);
    await once(server, "request");
    const answered = once(first.socket, "data");
    finish[0]?.();
    await answered;
    const third = await open(`${head}\r\n`);
    await second.ended;
    await expect.poll(() => finish.length).toBe(2);
    expect([connections.open, ended, first.socket.destroyed]).toEqual([2, 1, false]);
    expect(connections.isExcess(third.socket)).toBe(false);
    server.close();
  });

  it("are marked where all others are busy, and end none of them", async () => {
    const { server, connections, finish, open } = await started({ most: 1 });
    await open(`${head}\r\n`);
    await expect.poll(() => finish.length).toBe(1);
    const excess: boolean[] = [];
    server.on("request", (request) => excess.push(connections.isExcess(request.socket)));
    await open(`${head}\r\n`);
    await expect.poll(() => excess).toEqual([true]);
    expect(connections.open).toBe(2);
    server.close();
  });
});

describe("requests that are sent without waiting for answers", () => {
  it("end their connection when there are too many", async () => {
    const { server, open } = await started();
    let served = 0;
    server.on("request", ({ socket }) => {
      if (!socket.destroyed) served += 1;
    });
    const some = await open(`${head}\r\n`.repeat(64));
    await expect.poll(() => served).toBe(64);
    const many = await open(`${head}\r\n`.repeat(1000));
    await many.ended;
    expect(served).toBe(2 * 64);
    expect(some.socket.destroyed).toBe(false);
    server.close();
  });
});

describe("the end of listening", () => {
  it("resets no connection that was made before: each of many that came at once is served", async () => {
    const { server, connections, finish } = await started();
    server.on("request", () => finish.at(-1)?.());
    const { port } = server.address() as AddressInfo; // it listens on a port
    const connected: Promise<unknown>[] = [];
    const answers = Array.from({ length: 200 }, async () => {
      const socket = connect(port, "127.0.0.1");
      sockets.push(socket);
      connected.push(once(socket, "connect"));
      let answer = "";
      socket.on("data", (data) => {
        answer += data;
      });
      socket.on("error", (error: NodeJS.ErrnoException) => {
        answer += error.code;
      });
      socket.write(`${head}Connection: close\r\n\r\n`);
      await new Promise((resolve) => socket.once("close", resolve));
      return answer;
    });
    // Now the kernel has them all, and Node has taken in some.
    await Promise.all(connected);
    await connections.stopListening([server]);
    const wrong = (await Promise.all(answers)).filter(
      (answer) => !answer.endsWith("done") && answer !== "ECONNREFUSED",
    );
    expect(wrong).toEqual([]);
  });

  it("leaves idle connections open, and tells when there is none any more", async () => {
    const { connections, server, open } = await started();
    const { socket, ended } = await open("");
    await connections.stopListening([server]);
    let isEmpty = false;
    const empty = connections.empty(60_000).then(() => {
      isEmpty = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([isEmpty, socket.destroyed]).toEqual([false, false]);
    socket.end();
    await Promise.all([ended, empty]);
  });
});
