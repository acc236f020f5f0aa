// Bodies that nobody reads: what of them is taken in, and when the answer comes.

import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

const mebibyte = 1024 * 1024;
const keys = "/api/vm_marketplace/ssh-keys";

let world: World;
let http: RunningHttp;
let token: string;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world, {
    unreadBodies: { mostBytes: 10 * mebibyte, burstBytes: mebibyte, bytesPerSecond: 40 * mebibyte },
  });
  token = (await http.customer()).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

interface Conversation {
  readonly socket: Socket;
  /** What has come back until now. */
  answer(): string;
  readonly ended: Promise<void>;
}

function open(to = http): Conversation {
  const { hostname, port } = new URL(to.main);
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  // A connection that is cut is what some of these are about.
  socket.on("error", () => {});
  return { socket, answer: () => answer, ended: new Promise((resolve) => socket.on("close", () => resolve())) };
}

function head(method: string, path: string, headers: readonly string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, "Host: x", ...headers].join("\r\n")}\r\n\r\n`;
}

/** Sends mebibytes, each when the one before is gone, until the other side has had enough; gives how many it took, at most `most`. */
async function send(socket: Socket, most: number): Promise<number> {
  const piece = Buffer.alloc(mebibyte, "x");
  for (let sent = 0; sent < most; sent += 1) {
    // Where the connection is cut, this is called with an error.
    const error = await new Promise((resolve) => socket.write(piece, resolve));
    if (error instanceof Error) return sent;
  }
  return most;
}

const authorized = () => `Authorization: Bearer ${token}`;

describe("a body that nobody reads", () => {
  it.each([
    ["a request without a token", "POST", keys, 401, () => []],
    ["a path that is not there", "POST", "/nothing", 404, () => []],
    ["a DELETE", "DELETE", `${keys}/x`, 404, () => [authorized()]],
    ["a request that is too large", "POST", keys, 413, () => [authorized()]],
  ] as const)("is not taken in without end: of %s", async (_what, method, path, status, headers) => {
    const { socket, answer, ended } = open();
    socket.write(head(method, path, [...headers(), `Content-Length: ${1024 * mebibyte}`]));
    const taken = await send(socket, 200);
    await ended;
    expect(taken).toBeLessThan(100);
    expect(answer()).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it("is read up to 16 MiB, 4 MiB at once and then 4 MiB a second, as the program is set", async () => {
    const program = await startHttp(world);
    onTestFinished(() => program.close());
    const { socket, answer, ended } = open(program);
    const begun = performance.now();
    socket.write(head("POST", "/nothing", [`Content-Length: ${1024 * mebibyte}`]));
    const taken = await send(socket, 200);
    await ended;
    expect(taken).toBeGreaterThan(13);
    expect(taken).toBeLessThan(100);
    expect(performance.now() - begun).toBeGreaterThan(2500);
    expect(answer()).toMatch(/^HTTP\/1.1 404 /);
  });

  it.each([
    ["POST", keys, 401],
    ["POST", "/nothing", 404],
    ["PUT", keys, 405],
  ])("and is small leaves the connection usable: %s %s", async (method, path, status) => {
    const { socket, answer, ended } = open();
    const next = head("GET", "/healthz", ["Connection: close"]);
    socket.write(head(method, path, [`Content-Length: ${mebibyte}`]));
    socket.write(`${"x".repeat(mebibyte)}${next}`);
    await ended;
    expect(answer()).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*HTTP/1.1 200 `));
  });

  it("leaves the connection usable also where it had to wait for its turn", async () => {
    const { socket, answer, ended } = open();
    const length = 6 * mebibyte;
    socket.write(head("POST", "/nothing", [`Content-Length: ${length}`]));
    socket.write(`${"x".repeat(length)}${head("GET", "/healthz", ["Connection: close"])}`);
    await ended;
    expect(answer()).toMatch(/^HTTP\/1.1 404 [\s\S]*HTTP\/1.1 200 /);
  });

  it("does not keep the answer from a client that sends all before it reads, and asks for the connection's end", async () => {
    const { socket, answer, ended } = open();
    socket.pause();
    const length = 8 * mebibyte;
    socket.write(head("POST", keys, [authorized(), "Connection: close", `Content-Length: ${length}`]));
    expect(await send(socket, 8)).toBe(8);
    socket.resume();
    await ended;
    expect(answer()).toMatch(/^HTTP\/1.1 413 /);
  });
});

/** Bytes that are each a chunk of their own: six of the wire for one of the body. */
const chunks = (count: number) => "1\r\na\r\n".repeat(count);

describe("a body in chunks of one byte", () => {
  it("that nobody reads is not taken in without end", async () => {
    const { socket, answer, ended } = open();
    socket.write(head("POST", "/nothing", ["Transfer-Encoding: chunked"]));
    socket.write(chunks(100_000));
    await ended;
    expect(answer()).toMatch(/^HTTP\/1.1 404 /);
  });

  it("is rejected long before it is too large", async () => {
    const { socket, answer } = open();
    socket.write(head("POST", keys, [authorized(), "Transfer-Encoding: chunked"]));
    socket.write(chunks(100_000));
    await expect.poll(answer).toMatch(/^HTTP\/1.1 400 [\s\S]*more than 4096 pieces/);
    socket.destroy();
  });

  it("does not keep the bodies of later connections from being read", async () => {
    for (const path of ["/nothing", keys]) {
      const cut = open();
      cut.socket.write(head("POST", path, [authorized(), "Transfer-Encoding: chunked"]));
      cut.socket.write(chunks(100_000));
      await cut.ended;
      const { socket, answer, ended } = open();
      socket.write(head("POST", keys, [authorized(), "Content-Length: 2", "Connection: close"]));
      socket.write("{}");
      await ended;
      expect(answer()).toMatch(/^HTTP\/1.1 400 [\s\S]*public_key/);
    }
  });
});

describe("a body that is announced as too large", () => {
  it("is refused before it comes", async () => {
    const { socket, answer } = open();
    socket.write(head("POST", keys, [authorized(), `Content-Length: ${mebibyte + 1}`]));
    await expect.poll(answer, { timeout: 2000 }).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
  });

  it("is not asked for, and the connection ends", async () => {
    const { socket, answer } = open();
    const expecting = [authorized(), "Expect: 100-continue", `Content-Length: ${mebibyte + 1}`];
    socket.write(head("POST", keys, expecting));
    await new Promise((resolve) => socket.on("end", resolve));
    expect(answer()).toMatch(/^HTTP\/1.1 413 [\s\S]*\r\nconnection: close\r\n/i);
    socket.destroy();
  });

  it("is asked for when it is not too large", async () => {
    const { socket, answer, ended } = open();
    socket.write(head("POST", keys, [authorized(), "Expect: 100-continue", "Content-Length: 2", "Connection: close"]));
    await expect.poll(answer).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("{}");
    await ended;
    expect(answer()).toContain("HTTP/1.1 400 ");
  });
});
