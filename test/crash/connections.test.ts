// Hostile and broken clients against the running program: it stays up, its memory is bounded, others are served
// meanwhile, and afterwards everything is as before.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { attacks } from "./hostile/attacks.ts";
import { GoodClient } from "./hostile/good-client.ts";
import { startTarget, type Target } from "./hostile/target.ts";
import { percentile } from "./percentile.ts";

/** With the room for bodies (128 MiB) and ten thousand connections (about 20 KiB each) beside what it takes at rest. */
const mostMib = 768;
/** Of the good client, on the connection that it has, whatever the others do. Measured in small: below 1000. */
const mostMs = 2000;
/**
 * Of a new connection that comes right after an attack. Node takes in one connection a turn, so it waits behind those
 * that were opened, filled and left faster than that: up to 511, with up to a mebibyte of work each.
 */
const mostMsOfNew = 10_000;

const seconds = extent(8, 1);
/** How many connections, where it is not the usual number. */
const connections: Readonly<Record<string, number>> = {
  "connections that do nothing": extent(10_000, 2000),
  "heads that come a line a second": extent(1000, 200),
  "bodies that come a byte a second": extent(1000, 200),
  "bodies of a mebibyte that never end": extent(500, 100),
  // Of each, 16 MiB are read on, and 4 MiB a second of all.
  "bodies of a gigabyte, announced": extent(50, 2),
  "bodies of a gigabyte, in chunks": extent(50, 2),
  "connections that are closed on one side": extent(1000, 200),
};
const usual = extent(50, 10);

const whenOver = afterFile();
let target: Target;
beforeAll(async () => {
  target = await startTarget(whenOver);
}, 120_000);

describe("a server under hostile clients", () => {
  for (const [name, attack] of Object.entries(attacks)) {
    it(`serves others during: ${name}`, async () => {
      const count = connections[name] ?? usual;
      const good = new GoodClient(target);
      await sleep(200);
      good.takeServed();
      const began = performance.now();
      do await attack(target, count, seconds);
      while (performance.now() - began < seconds * 1000);
      // What an attack leaves behind counts for it, not for the next one. One is the good client's.
      const waited = await target.untilLeft(1).finally(() => good.stop());
      const { ms, wrong } = good.takeServed();
      const p99 = Math.round(percentile(ms, 99));
      const of = `${count} connections; ${ms.length} requests of the good client, memory ${target.memoryMib()} MiB`;
      figure(`p99 of a good client (ms) during: ${name}`, { reached: p99, toReach: mostMs, of });
      figure(`wait of a new connection (ms) after: ${name}`, { reached: Math.round(waited), toReach: mostMsOfNew });
      expect(wrong).toEqual([]);
      expect(p99).toBeLessThan(mostMs);
      expect(waited).toBeLessThan(mostMsOfNew);
    });
  }

  it("takes a bounded amount of memory through all of it", () => {
    figure("peak memory of the server (MiB)", { reached: target.peakMib(), toReach: mostMib });
    expect(target.peakMib()).toBeLessThan(mostMib);
  });

  it("is as before when they are gone", async () => {
    await target.untilLeft(0);
    const good = new GoodClient(target);
    await sleep(1000);
    await good.stop();
    expect(good.takeServed().wrong).toEqual([]);
    expect(target.lessor.process.exitCode).toBeNull();
    expect(target.lessor.output()).not.toContain('"level":50');
  });
});

describe("more connections than the server may have", () => {
  it("end idle ones, and a client that behaves is served all the time", async () => {
    const small = await startTarget(whenOver, { connections: 200 });
    const good = new GoodClient(small);
    await attacks["connections that do nothing"]?.(small, 1500, 2);
    await good.stop();
    const { ms, wrong } = good.takeServed();
    expect(wrong).toEqual([]);
    expect(ms.length).toBeGreaterThan(5);
    const text = await (await fetch(small.metricsUrl)).text();
    const ended = Number(/^lessor_http_connections_ended_total (\d+)$/m.exec(text)?.[1]);
    figure("idle connections ended to make room", {
      reached: ended,
      toReach: 1300,
      of: "1500 connections on 200 places",
    });
    expect(ended).toBeGreaterThanOrEqual(1300);
  });
});
