// What is sent as one text, held against what Node's own writeHead sends, byte for byte.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { readCaching } from "../api/conditional.ts";
import type { CachedResponse } from "./cached-responses.ts";
import { createSender, type Send } from "./sender.ts";

const moment = { run: "s", nowMs: 0, horizon: 1, account: 1, catalog: 1, hostHorizon: 1n, hosts: 1n };
const kept = (part: Partial<CachedResponse> = {}): CachedResponse => ({
  ...{ moment, source: "account", validUntilMs: 1, etag: '"tag"', type: "application/json" },
  ...{ link: undefined, body: Buffer.from('{"name":"Zürich 東京 🚀"}'), ...part },
});
const further = ["x-request-id", "mine", "ratelimit", "told"];

/** As bare Node would. */
const byNode: Send = (request, response, { etag, link, type, body }, headers) => {
  const isKnown = request.headers["if-none-match"] === etag;
  const same = ["etag", etag, "cache-control", readCaching, ...(link === undefined ? [] : ["link", link])];
  const own = isKnown ? [] : ["content-type", type, "content-length", `${body.length}`];
  response.writeHead(isKnown ? 304 : 200, [...headers, ...same, ...own]).end(isKnown ? undefined : body);
  return isKnown ? 304 : 200;
};

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** What comes back for these bytes, until the connection ends. `/later` is answered after what came behind it. */
async function answered(send: Send, answer: CachedResponse, bytes: string): Promise<string> {
  const server = createServer({ keepAliveTimeout: 5000 }, (request, response) => {
    const give = () => send(request, response, { ...answer, etag: `"${request.url}"` }, further);
    if (request.url === "/later") setTimeout(give, 30);
    else give();
  });
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.write(bytes);
  await once(socket, "end");
  socket.end();
  return Buffer.concat(chunks).toString("latin1");
}

/** With the lines of each head in order, and without the time. */
function sorted(text: string): string {
  const inOrder = (lines: string) => lines.trimEnd().split("\r\n").sort().join("\r\n");
  return text
    .replace(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/g, "\r\nDate: now\r\n")
    .replace(/(HTTP\/1\.1 [^\r]*\r\n)(.*?\r\n)\r\n/gs, (_all, first: string, lines: string) => first + inOrder(lines));
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, "host: here", ...headers, "", ""].join("\r\n");
const last = get("/last", "connection: close");

describe("what is sent is what Node would send", () => {
  it.each<[string, string, CachedResponse]>([
    ["on a connection that stays open", get("/a") + last, kept()],
    ["with a Link header", get("/a") + last, kept({ link: '</b>; rel="next"' })],
    ["to who has it", get("/a", 'if-none-match: "/a"') + last, kept()],
    ["of many bytes", get("/a") + last, kept({ body: Buffer.alloc(200_000, "ü") })],
    ["of none", get("/a") + last, kept({ body: Buffer.alloc(0) })],
    ["to requests that came before the answers", get("/later") + get("/a") + get("/later") + get("/b") + last, kept()],
    ["by the old protocol", "GET /a HTTP/1.0\r\nconnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n", kept()],
    [
      "by the old protocol to who has it",
      'GET /a HTTP/1.0\r\nconnection: keep-alive\r\nif-none-match: "/a"\r\n\r\n',
      kept(),
    ],
  ])("%s", async (_what, bytes, answer) => {
    const ours = await answered(createSender(5), answer, bytes);
    const nodes = await answered(byNode, answer, bytes);
    expect(ours.length).toBe(nodes.length);
    expect(sorted(ours)).toBe(sorted(nodes));
  });
});

it("a value that cannot stand in a head is not sent", async () => {
  const send = createSender(5);
  const failed: unknown[] = [];
  const trying: Send = (request, response, answer, headers) => {
    try {
      return send(request, response, answer, headers);
    } catch (error) {
      failed.push(error);
      response.writeHead(500, { connection: "close" }).end();
      return 200;
    }
  };
  expect(await answered(trying, kept({ link: "a\r\nset-cookie: b" }), get("/a"))).toMatch(/^HTTP\/1\.1 500 /);
  expect(failed).toHaveLength(1);
});
