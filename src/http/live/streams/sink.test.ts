// The way to a client that may have left at any moment, also before its stream began.

import { once } from "node:events";
import { createServer, get, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { afterTest } from "../../../../test/support/when-over.ts";
import { Sink } from "./sink.ts";

/** An answer that has not begun, and its client. */
async function unanswered() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a pipe
  const client = get({ port, host: "127.0.0.1", agent: false }).on("error", () => {});
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  afterTest(() => {
    client.destroy();
    server.close();
  });
  return { client, response };
}

describe("a sink", () => {
  it("of a client that had left before it was made is closed, and takes what is sent without a word", async () => {
    const { client, response } = await unanswered();
    client.destroy();
    await once(response, "close");
    const sink = new Sink(response);
    expect(sink.isOpen).toBe(false);
    sink.begin("0.0", 1);
    sink.send("0.1", "{}");
    sink.beat();
    sink.end("over");
    await sink.room();
    await sink.closed;
  });

  it("closes when its client leaves, and when it is ended", async () => {
    const left = await unanswered();
    const sink = new Sink(left.response);
    sink.begin("0.0", 1);
    expect(sink.isOpen).toBe(true);
    left.client.destroy();
    await sink.closed;
    const ended = await unanswered();
    const other = new Sink(ended.response);
    ended.client.on("response", (response) => response.resume());
    other.end("over");
    expect(other.isOpen).toBe(false);
    await other.closed;
  });
});
