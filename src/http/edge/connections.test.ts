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
  const open = async (sent: string, { localAddress = "127.0.0.1", isVerified = false } = {}) => {
    const accepted = once(server, "connection");
    const socket = connect({ port, host: "127.0.0.1", localAddress });
    sockets.push(socket);
    const [atServer] = await accepted;
    if (isVerified) connections.verified(atServer as Socket); // what a server accepts
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
const unfinished = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx";

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
  const verified = { isVerified: true };

  it("end the one without a verified token that is oldest, and are served themselves", async () => {
    let ended = 0;
    const { server, connections, finish, open } = await started({ most: 3, onEnded: () => (ended += 1) });
    // Idle all the time, and still not the first to go.
    const first = await open("", verified);
    const second = await open("");
    const third = await open("");
    // The second one has been served meanwhile, so the third one has waited longer.
    second.socket.write(`${head}\r\n`);
    await once(server, "request");
    const answered = once(second.socket, "data");
    finish[0]?.();
    await answered;
    await open(`${head}\r\n`);
    await third.ended;
    await expect.poll(() => finish.length).toBe(2);
    expect([connections.open, ended, first.socket.destroyed, second.socket.destroyed]).toEqual([3, 1, false, false]);
    server.close();
  });

  it("end one in the middle of a body, and one that does not read its response", async () => {
    const { server, finish, open } = await started({ most: 2 });
    const inBody = await open(unfinished);
    await once(server, "request");
    const asking = await open(`${head}\r\n`);
    await expect.poll(() => finish.length).toBe(2);
    await open("", verified);
    await inBody.ended;
    await open("", verified);
    await asking.ended;
    server.close();
  });

  it("end the verified one that has been idle longest, where all are verified", async () => {
    const { server, connections, finish, open } = await started({ most: 2 });
    const first = await open("", verified);
    const second = await open("", verified);
    first.socket.write(`${head}\r\n`);
    await once(server, "request");
    const answered = once(first.socket, "data");
    finish[0]?.();
    await answered;
    await open("");
    await second.ended;
    expect([connections.open, first.socket.destroyed]).toEqual([2, false]);
    server.close();
  });

  it("are marked where all others work for verified tokens, end none of them, and are as others when there is room", async () => {
    const { server, connections, finish, open } = await started({ most: 1 });
    const busy = await open(unfinished, verified);
    await expect.poll(() => finish.length).toBe(1);
    const excess: boolean[] = [];
    server.on("request", ({ socket }) => excess.push(connections.isExcess(socket)));
    const late = await open(`${head}\r\n`);
    await expect.poll(() => excess).toEqual([true]);
    expect(connections.open).toBe(2);
    busy.socket.destroy();
    await expect.poll(() => connections.open).toBe(1);
    finish[1]?.();
    await once(late.socket, "data");
    late.socket.write(`${head}\r\n`);
    await expect.poll(() => excess).toEqual([true, false]);
    server.close();
  });

  it("of one address end connections of that address only", async () => {
    const { server, connections, open } = await started({ most: 4, mostPerAddress: 2 });
    const other = await open("");
    const flood = { localAddress: "127.0.0.2" };
    const [first, second] = [await open(unfinished, flood), await open(unfinished, flood)];
    await open(unfinished, flood);
    await first.ended;
    await open(unfinished, flood);
    await second.ended;
    expect([connections.open, other.socket.destroyed]).toEqual([3, false]);
    server.close();
  });

  it("of what has no limit of its own are limited with all others only", async () => {
    const { server, connections, open } = await started({ most: 4, mostPerAddress: 1, addressOf: () => undefined });
    for (let count = 0; count < 4; count += 1) await open("");
    expect(connections.open).toBe(4);
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
