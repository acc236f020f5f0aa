import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { type EventLoop, watchEventLoop } from "./event-loop.ts";
import { Metrics } from "./metrics.ts";

let loop: EventLoop | undefined;
afterEach(() => loop?.close());

/** Keeps the loop from turning. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe("the event loop's lag", () => {
  it("is not one late tick, but several; and is over some ticks after", async () => {
    loop = watchEventLoop(new Metrics());
    await sleep(250);
    block(800);
    expect(loop.lagMs()).toBeLessThan(500);
    for (const _ of [1, 2, 3]) {
      block(800);
      await sleep(0);
    }
    expect(loop.lagMs()).toBeGreaterThanOrEqual(600);
    await expect.poll(() => loop?.lagMs(), { timeout: 5_000 }).toBeLessThan(300);
  });

  it("is still told at the next scrape", async () => {
    const metrics = new Metrics();
    loop = watchEventLoop(metrics);
    await sleep(250);
    block(800);
    await sleep(500);
    const text = await metrics.text();
    const seconds = Number(/^lessor_event_loop_lag_seconds (\S+)$/m.exec(text)?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(0.6);
    expect(text).toMatch(/^lessor_event_loop_turns_total [1-9]/m);
    expect(text).toMatch(/^lessor_event_loop_active_seconds_total \d/m);
  });
});
