// Bodies that come too slowly, on a server of node:http. Time is the test's.

import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BodyRate } from "./body-rate.ts";

let now = 0;
const rate = new BodyRate({ windowMs: 1000, leastBytesPerSecond: 100, now: () => now });
/** How each connection ended. */
let ended: string[] = [];
const server = createServer((request) => void request.on("error", () => {}));
server.on("clientError", ({ code }: Error & { code?: string }, socket) => {
  ended.push(code ?? "");
  socket.destroy();
});
rate.watch(server);

beforeEach(async () => {
  ended = [];
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
const sockets: Socket[] = [];

/** A request whose body has so many bytes, and none of them sent. Unless told, the service reads what comes. */
async function asked(length: number, { reads = true } = {}) {
  const { port } = server.address() as AddressInfo; // it listens on a port
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => {});
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`);
  const [request] = (await once(server, "request")) as [IncomingMessage];
  // Until it is watched.
  await new Promise((resolve) => setImmediate(resolve));
  if (reads) request.resume();
  /** Sends so many bytes, and waits until the service has them. */
  const send = async (bytes: number) => {
    const before = request.socket.bytesRead;
    socket.write("x".repeat(bytes));
    await expect.poll(() => request.socket.bytesRead - before).toBe(bytes);
  };
  return { request, send };
}

/** So much later the rate is checked. */
function later(ms: number): readonly string[] {
  now += ms;
  rate.check();
  return ended;
}

describe("a body that comes too slowly", () => {
  it("ends its connection as one that timed out, and not before the window is over", async () => {
    const { send } = await asked(1000);
    await send(99);
    expect(later(999)).toEqual([]);
    expect(later(1)).toEqual(["ERR_HTTP_REQUEST_TIMEOUT"]);
  });

  it("cannot make up for it with what came in an earlier window", async () => {
    const { send } = await asked(1000);
    await send(900);
    expect(later(1000)).toEqual([]);
    await send(1);
    expect(later(1000)).toEqual(["ERR_HTTP_REQUEST_TIMEOUT"]);
  });

  it("may take as long as it comes at the minimum rate", async () => {
    const { send } = await asked(1000);
    for (let second = 0; second < 9; second += 1) {
      await send(100);
      expect(later(1000)).toEqual([]);
    }
  });

  it("is not one that has come whole and is worked on for long", async () => {
    const { request, send } = await asked(10);
    await send(10);
    await expect.poll(() => request.complete).toBe(true);
    expect(later(60_000)).toEqual([]);
  });

  it("is not one that the service itself does not read", async () => {
    const { request } = await asked(1_000_000, { reads: false });
    sockets.at(-1)?.write("x".repeat(1_000_000));
    await expect.poll(() => request.readableLength >= request.readableHighWaterMark).toBe(true);
    expect(later(5000)).toEqual([]);
    expect(later(5000)).toEqual([]);
  });
});

describe("a body with a deadline of its own", () => {
  it("ends its connection then, however fast it comes", async () => {
    const { request, send } = await asked(100_000);
    rate.limit(request, 500);
    await send(50_000);
    expect(later(499)).toEqual([]);
    expect(later(1)).toEqual(["ERR_HTTP_REQUEST_TIMEOUT"]);
  });
});
