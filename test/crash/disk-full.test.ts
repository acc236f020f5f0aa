// A disk that is full while somebody goes on launching: reads are served as before, and launches are rejected at once. The
// figure is the longest that a reader waited. What the service does about it: test/start/disk-full.program.test.ts.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { ExactClient } from "../support/exact-client.ts";
import { extent } from "../support/short.ts";
import { smallDisk, whyNoDisk } from "../support/small-disk.ts";
import { afterTest } from "../support/when-over.ts";
import { figure } from "./figures.ts";
import { startTarget, type Target } from "./hostile/target.ts";
import { spread } from "./percentile.ts";

const why = whyNoDisk();
const seconds = extent(20, 3);
const mostMs = 100;

/** Reads again and again while this is done; gives the milliseconds of each. Whatever is not answered 200 ends the test. */
async function readsDuring({ marketplace, token }: Target, done: () => Promise<unknown>): Promise<number[]> {
  const client = new ExactClient({ keepAlive: true });
  const ms: number[] = [];
  let isOver = false;
  const reading = (async () => {
    while (!isOver) {
      const outcome = await client.send(`${marketplace}/instance-types`, {
        headers: { authorization: `Bearer ${token}` },
      });
      if (outcome.kind !== "answered" || outcome.status !== 200) throw new Error(JSON.stringify(outcome));
      ms.push(outcome.ms);
      await sleep(20);
    }
  })();
  await done();
  isOver = true;
  await reading;
  client.close();
  return ms;
}

it.skipIf(why !== undefined)(`readers wait for no full disk (${why ?? "a tmpfs"})`, async () => {
  const disk = await smallDisk(448);
  const target = await startTarget(afterTest, {}, disk.path);
  const launcher = new ExactClient({ keepAlive: true });
  const headers = { authorization: `Bearer ${target.token}` };
  const body = { instance_type_name: "gpu_1x_a6000", region_name: "any", ssh_key_names: [], quantity: 1 };
  const launch = () =>
    launcher.send(`${target.marketplace}/instance-operations/launch`, { method: "POST", headers, body });
  const quiet = await readsDuring(target, () => sleep(seconds * 500));
  await disk.fill();
  const ready = async () => (await fetch(new URL("/readyz", target.marketplace))).status;
  await expect.poll(ready, { timeout: 60_000, interval: 200 }).toBe(503);
  const statuses = new Set<unknown>();
  const full = await readsDuring(target, async () => {
    for (const until = performance.now() + seconds * 1000; performance.now() < until; await sleep(20)) {
      const outcome = await launch();
      statuses.add(outcome.kind === "answered" ? outcome.status : outcome.kind);
    }
  });
  launcher.close();
  await disk.free();
  const [before, longest] = [Math.ceil(Math.max(...quiet)), Math.ceil(Math.max(...full))];
  const isQuiet = before <= mostMs / 2;
  figure("longest wait of a reader while the disk is full (ms)", {
    reached: longest,
    toReach: isQuiet ? `under ${mostMs}` : `under ${mostMs} on a machine that is not busy`,
    of: `before ${before}; ${full.length} reads ${spread(full)}`,
  });
  expect([...statuses]).toEqual([503]);
  if (isQuiet) expect(longest).toBeLessThan(mostMs);
});
