// A connection on which requests are sent without waiting for responses, and one of them cannot be read: no response
// overtakes the one to an earlier request.

import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
let token: string;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
  token = (await http.customer()).token;
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});

/** Everything that comes back until the connection ends. */
function converse(sent: string): Promise<string> {
  const { hostname, port } = new URL(http.main);
  const socket = connect(Number(port), hostname);
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  socket.write(sent);
  return new Promise((resolve, reject) => socket.on("close", () => resolve(answer)).on("error", reject));
}

/** Has its token looked up, so its response comes later than what follows is read. */
const read = () => `GET /api/vm_marketplace/ssh-keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
const statusesOf = (answer: string) => [...answer.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);

const broken = {
  "no HTTP": "NONSENSE\r\n\r\n",
  "no HTTP, again and again": "NONSENSE\r\n\r\n".repeat(10_000),
  "headers that are too large": `GET /${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  "a tunnel": "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n",
  "a WebSocket":
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
  "a body in malformed chunks":
    "POST /console/session HTTP/1.1\r\nHost: x\r\nX-Lessor-Console: 1\r\nTransfer-Encoding: chunked\r\n\r\nnonsense\r\n",
};

describe.each(Object.entries(broken))("behind requests without a response yet, %s", (_what, bytes) => {
  it.each([1, 3])("gets no response, and the %i before it get theirs", async (count) => {
    const answer = await converse(read().repeat(count) + bytes);
    expect(statusesOf(answer)).toEqual(Array.from({ length: count }, () => "200"));
    expect(answer).not.toContain('"error"');
  });

  it("leaves the service as it was", async () => {
    expect(statusesOf(await converse(read().replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))).toEqual(["200"]);
  });
});

describe("behind requests that have their responses", () => {
  it.each([
    ["no HTTP", "400"],
    ["headers that are too large", "431"],
    ["a tunnel", "405"],
    ["a body in malformed chunks", "400"],
  ] as const)("%s gets one too", async (what, status) => {
    const { hostname, port } = new URL(http.main);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.write(read());
    await expect.poll(() => answer).toMatch(/\r\n\r\n\{"data":\[\]\}/);
    socket.write(broken[what]);
    await ended;
    expect(statusesOf(answer)).toEqual(["200", status]);
  });

  it("the rest of a body that was rejected gets no second response when it is malformed", async () => {
    const chunked = "POST /nothing HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
    const { hostname, port } = new URL(http.main);
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
    });
    const ended = new Promise((resolve) => socket.on("close", resolve));
    socket.write(`${chunked}1\r\nx\r\n`);
    await expect.poll(() => statusesOf(answer)).toEqual(["404"]);
    socket.write("nonsense\r\n");
    await ended;
    expect(statusesOf(answer)).toEqual(["404"]);
  });
});
