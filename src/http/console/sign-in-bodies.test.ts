// Bodies of sign-ins, which come before a token is verified: small, soon whole, and with memory of their own.

import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { Browser } from "../../../test/support/console.ts";
import { type RunningHttp, startHttp } from "../../../test/support/http.ts";
import { makeWorld, type World } from "../../../test/support/world.ts";

let world: World;
let http: RunningHttp;
beforeAll(async () => {
  world = await makeWorld();
  http = await startHttp(world);
});
afterAll(async () => {
  await http?.close();
  await world?.close();
});
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** A sign-in whose body has begun and does not go on; `answer` is what has come back. */
function begun(length: number, sent: string) {
  const { hostname, port } = new URL(http.main);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  let answer = "";
  socket.on("data", (data) => {
    answer += data;
  });
  const head = ["POST /console/session HTTP/1.1", "Host: x", "X-Lessor-Console: 1", `Content-Length: ${length}`];
  socket.write(`${head.join("\r\n")}\r\n\r\n${sent}`);
  return { answer: () => answer, ended: new Promise((resolve) => socket.on("close", resolve)) };
}

describe("a sign-in", () => {
  it("has at most 2 KiB", async () => {
    const browser = new Browser(http.main);
    const { token } = await http.customer();
    const padded = (bytes: number) => JSON.stringify({ token }).padEnd(bytes, " ");
    expect((await browser.ask("POST", "/console/session", { body: padded(2048) })).status).toBe(200);
    expect(await browser.ask("POST", "/console/session", { body: padded(2049) })).toMatchObject({
      status: 413,
      body: { error: { code: "global/payload-too-large", message: "The request body is larger than 2048 bytes." } },
    });
  });

  it("ends with 408 where its body has not come within seconds", async () => {
    const { answer, ended } = begun(100, "{");
    await ended;
    expect(answer()).toMatch(/^HTTP\/1.1 408 /);
  });

  it("that does not end takes no memory from others, from the same address neither", async () => {
    const many = Array.from({ length: 100 }, () => begun(2048, " ".repeat(2047)));
    // An address has a share of 64 KiB: what is beyond that is rejected at once.
    await expect.poll(() => many.filter(({ answer }) => answer().startsWith("HTTP/1.1 503 ")).length).toBe(68);
    const { token } = await http.customer();
    const body = { name: world.fresh("key") };
    expect((await http.call("POST", `${http.reference}/ssh-keys`, { token, body })).status).toBe(200);
  });
});
