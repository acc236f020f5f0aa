// Ten times more than the running program can serve: who is let in is answered in bounded time, the others are refused
// at once, health and metrics go on answering, and memory stays flat.

import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { ExactClient } from "../support/exact-client.ts";
import { extent } from "../support/short.ts";
import { afterFile } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { startTarget, type Target } from "./hostile/target.ts";
import { percentile, spread } from "./percentile.ts";

/** Small enough for a machine whose load generator has the same two cores. The default is 1000. */
const underWay = 20;
const clients = 10 * underWay;
const seconds = extent(20, 3);
/** What those let in wait at most, where other programs may use the machine too. */
const mostMs = 5000;
const mostMib = 100;

const whenOver = afterFile();
let target: Target;
beforeAll(async () => {
  target = await startTarget(whenOver, { requests_under_way: underWay });
}, 120_000);

interface Load {
  readonly served: readonly number[];
  readonly refused: readonly number[];
  readonly other: readonly string[];
}

/** So many clients that ask again as soon as they have their answer; one that is refused waits a tenth of a second. */
async function load(count: number, forSeconds: number): Promise<Load> {
  const served: number[] = [];
  const refused: number[] = [];
  const other: string[] = [];
  const until = performance.now() + forSeconds * 1000;
  const one = async (token: string) => {
    const client = new ExactClient({ keepAlive: true });
    const headers = { authorization: `Bearer ${token}` };
    while (performance.now() < until) {
      const outcome = await client.send(`${target.marketplace}/instance-types`, { headers });
      if (outcome.kind !== "answered") other.push(JSON.stringify(outcome));
      else if (outcome.status === 200) served.push(outcome.ms);
      else if (outcome.status === 503) {
        refused.push(outcome.ms);
        await sleep(100);
      } else other.push(`${outcome.status}`);
    }
    client.close();
  };
  const tokens = [target.token, target.hostileToken];
  await Promise.all(Array.from({ length: count }, (_, index) => one(tokens[index % 2] ?? "")));
  return { served, refused, other };
}

describe("ten times more requests than can be served", () => {
  it("are refused or answered in bounded time, in flat memory, and can be watched", async () => {
    const usual = await load(underWay / 2, seconds / 2);
    expect(usual.refused).toEqual([]);
    const before = target.memoryMib();

    const loading = load(clients, seconds);
    const watched: number[] = [];
    for (let look = 0; look < 5; look += 1) {
      await sleep((seconds * 1000) / 6);
      for (const path of ["/healthz", "/readyz"]) watched.push((await fetch(new URL(path, target.marketplace))).status);
      watched.push((await fetch(target.metricsUrl)).status);
    }
    const { served, refused, other } = await loading;

    const grown = target.memoryMib() - before;
    const rate = (list: readonly number[], during: number) => Math.round(list.length / during);
    figure("served a second without overload", {
      reached: rate(usual.served, seconds / 2),
      toReach: "-",
      of: spread(usual.served),
    });
    figure("served a second with ten times as many clients", {
      reached: rate(served, seconds),
      toReach: "-",
      of: spread(served),
    });
    figure("refused", { reached: refused.length, toReach: "more than 0", of: spread(refused) });
    figure("p99 of those served (ms)", { reached: Math.round(percentile(served, 99)), toReach: mostMs });
    figure("memory grown (MiB)", { reached: grown, toReach: mostMib });
    expect(other).toEqual([]);
    expect(new Set(watched)).toEqual(new Set([200]));
    expect(refused.length).toBeGreaterThan(0);
    expect(served.length).toBeGreaterThan(0);
    expect(percentile(served, 99)).toBeLessThan(mostMs);
    expect(grown).toBeLessThan(mostMib);
  });
});
