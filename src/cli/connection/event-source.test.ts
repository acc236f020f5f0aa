// Following the event stream, against a real server that breaks it off.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Event, follow } from "./event-source.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function serverThat(...handlers: Handler[]) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    handlers[Math.min(asked.length, handlers.length) - 1]?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events/stream`) };
}

const sending =
  (text: string, then: "end" | "break" | "stay" = "stay"): Handler =>
  (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(text, () => {
      if (then === "end") response.end();
      if (then === "break") response.destroy();
    });
  };

const event = (id: string, type: string) => `id: ${id}\nevent: ${type}\ndata: {"type":"${type}"}\n\n`;

async function first(count: number, url: URL) {
  const [types, told]: [string[], string[]] = [[], []];
  const stream: AsyncGenerator<Event> = follow({
    url,
    token: "t",
    lost: (seconds) => told.push(`lost, again in ${seconds}`),
    back: () => told.push("back"),
    firstWaitMs: 5,
  });
  for await (const { type } of stream) {
    types.push(type);
    if (types.length === count) break;
  }
  return { types, told };
}

describe("following events", () => {
  it("goes on behind the last one when the stream ends or breaks, and says so", async () => {
    const { asked, url } = await serverThat(
      sending(`: hello\n\n${event("1", "a")}${event("2", "b")}id: 3\ndata: {"ty`, "break"),
      sending(event("3", "c"), "end"),
      sending(event("4", "d")),
    );
    const { types, told } = await first(4, url);
    expect(types).toEqual(["a", "b", "c", "d"]);
    expect(asked.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "2", "3"]);
    expect(told).toEqual(["lost, again in 0.005", "back", "lost, again in 0.005", "back"]);
  });

  it("waits longer while the service is away, and comes back", async () => {
    const away: Handler = (_, response) => void response.writeHead(503).end("{}");
    const { url } = await serverThat(sending(event("1", "a"), "end"), away, away, sending(event("2", "b")));
    expect((await first(2, url)).told).toEqual([
      "lost, again in 0.005",
      "lost, again in 0.01",
      "lost, again in 0.02",
      "back",
    ]);
  });

  it("ends with what the service says when it refuses, at first or later", async () => {
    const refuse: Handler = (_, response) =>
      void response
        .writeHead(401)
        .end(JSON.stringify({ error: { message: "This token is revoked.", code: "global/invalid-api-key" } }));
    const { url } = await serverThat(sending(event("1", "a"), "end"), refuse);
    await expect(first(2, url)).rejects.toMatchObject({ message: "This token is revoked.", exit: "not-authorized" });
    await expect(first(1, new URL("http://127.0.0.1:1/"))).rejects.toMatchObject({ exit: "unreachable" });
  });

  it("reads letters that are cut in two, and lines with either end", async () => {
    const bytes = Buffer.from('id: 1\r\ndata: {"type":"ä"}\r\n\r\n');
    const cutAt = bytes.indexOf(0xc3) + 1;
    const { url } = await serverThat((_, response) => {
      response.writeHead(200);
      response.write(bytes.subarray(0, cutAt), () => setImmediate(() => response.write(bytes.subarray(cutAt))));
    });
    expect((await first(1, url)).types).toEqual(["ä"]);
  });
});
