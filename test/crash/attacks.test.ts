// Attacks that reach for what all clients share, each once with the running program: other clients go on reading, asking
// for health and launching, and the figure is the longest that one of them waited. Source: the limits that stand in
// docs/reference/settings.md and docs/reference/limits.md.

import { beforeAll, describe, expect, it } from "vitest";
import { afterFile } from "../support/when-over.ts";
import { startTarget, type Target } from "./hostile/target.ts";
import { othersWaitUnderAttack } from "./hostile/waits.ts";

const whenOver = afterFile();
let target: Target;
beforeAll(async () => {
  // Few connections, so that unfinished ones would leave none; of one address no more than half of them.
  target = await startTarget(whenOver, { connections: 200, connections_per_address: 100 });
}, 120_000);

describe("other clients wait for nobody", () => {
  it("who sends queries with thousands of parameters", async () => {
    const attack = "queries with thousands of parameters";
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 6, addresses: 1, everyMs: 100 });
    // Not looked at where no query is declared; elsewhere the token is missing first.
    expect(Object.keys(statuses)).toEqual(["200", "401"]);
  });

  it("who fills the memory with unfinished bodies", async () => {
    const attack = "unfinished bodies that fill memory";
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 150, addresses: 3, everyMs: 100 });
    expect(Object.keys(statuses)).toContain("413");
  });

  it("who holds connections with unfinished requests", async () => {
    const attack = "unfinished requests that hold connections";
    const done = await othersWaitUnderAttack(target, { attack, connections: 1000, addresses: 10, everyMs: 100 });
    expect(done.opened).toBeGreaterThan(200);
  });

  it("who calls tools of agents with 80,000 arguments", async () => {
    const attack = "MCP calls with 80,000 arguments";
    // Each takes the service 10 to 20 ms: more at once would be load, which requests per minute are limited for.
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 2, addresses: 1, everyMs: 100 });
    expect(Object.keys(statuses)).toEqual(["400", "413"]);
  });

  it("who pipelines what is no HTTP behind requests, and gets no response for it", async () => {
    const attack = "pipelined requests with a parse error behind them";
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 10, addresses: 1, everyMs: 200 });
    expect(Object.keys(statuses)).toEqual(["200"]);
  });

  it("who sends thousands of requests in one piece", async () => {
    const attack = "thousands of pipelined requests in one piece";
    const { opened } = await othersWaitUnderAttack(target, { attack, connections: 1, addresses: 1, everyMs: 500 });
    // Each is cut.
    expect(opened).toBeGreaterThan(5);
  });

  it("who sends bodies in chunks of one byte", async () => {
    const attack = "bodies in chunks of one byte";
    // Each takes some 50 ms, until its connection is cut.
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 2, addresses: 1, everyMs: 1000 });
    expect(Object.keys(statuses)).toEqual(["400", "404"]);
  });

  it("who launches beyond a spend limit, seven at once, and gets nothing", async () => {
    const attack = "launches beyond a spend limit";
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 7, addresses: 1, everyMs: 500 });
    expect(Object.keys(statuses)).toEqual(["402"]);
  });

  it("who has webhooks at dead targets tested", async () => {
    const attack = "tests of webhooks at dead targets";
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 10, addresses: 1, everyMs: 500 });
    expect(Object.keys(statuses)).toEqual(["200"]);
  });

  it("who sends bodies of 90,000 values", async () => {
    const attack = "bodies of 90,000 values";
    const { statuses } = await othersWaitUnderAttack(target, { attack, connections: 2, addresses: 1, everyMs: 100 });
    expect(Object.keys(statuses)).toEqual(["400"]);
  });
});
