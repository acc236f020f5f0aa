import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ReadinessWatchers } from "./watchers.ts";

let settled: string[];
let lookouts: ReadinessWatchers;
let now: number;

beforeEach(() => {
  vi.useFakeTimers();
  settled = [];
  now = 0;
  lookouts = new ReadinessWatchers({
    onSettled: (machineId) => settled.push(machineId),
    now: () => now,
    pause: (milliseconds, signal) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds);
        const abort = () => {
          clearTimeout(timer);
          reject(signal.reason);
        };
        if (signal.aborted) abort();
        else signal.addEventListener("abort", abort, { once: true });
      }),
  });
});
afterEach(() => {
  lookouts.close();
  vi.useRealTimers();
});

/** Lets time pass, a millisecond at a time. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 1) {
    now += 1;
    await vi.advanceTimersByTimeAsync(1);
  }
}

/** A look that says true from the `wanted`-th time on, and when it was called. */
function lookFrom(wanted: number) {
  const times: number[] = [];
  const look = async () => times.push(now) >= wanted;
  return { look, times };
}

describe("a lookout", () => {
  it("looks at once, and says so when it is so, once", async () => {
    const { look, times } = lookFrom(1);
    lookouts.until("m1", look);
    await pass(1);
    expect([settled, times]).toEqual([["m1"], [0]]);
    await pass(2000);
    expect([settled, times]).toEqual([["m1"], [0]]);
    expect(lookouts.has("m1")).toBe(false);
  });

  it("looks again and again, more and more slowly, but never more slowly than it may", async () => {
    const { look, times } = lookFrom(30);
    lookouts.until("m1", look, { everyMs: 50, mostMs: 100 });
    await pass(3000);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(times).toHaveLength(30);
    expect(pauses.slice(0, 3).every((pause) => pause >= 50 && pause <= 57)).toBe(true);
    expect(pauses.slice(-5).every((pause) => pause >= 99 && pause <= 101)).toBe(true);
    expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
    expect(settled).toEqual(["m1"]);
  });

  it('takes an error, thrown or rejected, for "not yet"', async () => {
    let looks = 0;
    lookouts.until("m1", () => {
      looks += 1;
      if (looks === 1) throw new Error("at once");
      return looks === 2 ? Promise.reject(new Error("later")) : Promise.resolve(true);
    });
    await pass(200);
    expect([looks, settled]).toEqual([3, ["m1"]]);
  });

  it("never begins a look while another runs", async () => {
    let running = 0;
    let most = 0;
    lookouts.until("m1", async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 300));
      running -= 1;
      return false;
    });
    await pass(2000);
    expect(most).toBe(1);
  });

  it("gives up quietly when its time is over", async () => {
    const { look, times } = lookFrom(1000);
    lookouts.until("m1", look, { forMs: 500 });
    await pass(2000);
    expect(Math.max(...times)).toBeLessThanOrEqual(500);
    expect([settled, lookouts.has("m1")]).toEqual([[], false]);
  });

  it("gives up on a look that hangs, and tells it so", async () => {
    let told = false;
    lookouts.until(
      "m1",
      (signal) => {
        signal.addEventListener("abort", () => {
          told = true;
        });
        return new Promise(() => {});
      },
      { forMs: 500 },
    );
    await pass(600);
    expect([told, lookouts.has("m1"), settled]).toEqual([true, false, []]);
  });
});

describe("a lookout that is ended", () => {
  it("looks no more, and what its last look finds is lost", async () => {
    let found: (isSo: boolean) => void = () => {};
    let aborted = false;
    const look = (signal: AbortSignal) => {
      signal.addEventListener("abort", () => {
        aborted = true;
      });
      return new Promise<boolean>((resolve) => {
        found = resolve;
      });
    };
    lookouts.until("m1", look);
    lookouts.end("m1");
    found(true);
    await pass(100);
    expect([settled, aborted, lookouts.has("m1")]).toEqual([[], true, false]);
  });

  it("leaves the others alone", async () => {
    const [first, second] = [lookFrom(3), lookFrom(3)];
    lookouts.until("m1", first.look);
    lookouts.until("m2", second.look);
    lookouts.end("m1");
    await pass(500);
    expect([first.times.length, second.times.length, settled]).toEqual([1, 3, ["m2"]]);
  });

  it("may not exist", () => {
    expect(() => lookouts.end("nothing")).not.toThrow();
  });
});

describe("a second lookout for one machine", () => {
  it("takes the place of the first", async () => {
    const [first, second] = [lookFrom(2), lookFrom(3)];
    lookouts.until("m1", first.look);
    lookouts.until("m1", second.look);
    await pass(500);
    expect([first.times.length, second.times.length, settled]).toEqual([1, 3, ["m1"]]);
  });

  it("may be begun by what the first one's end calls", async () => {
    const again = lookFrom(2);
    const chained = new ReadinessWatchers({
      onSettled: (id) => settled.push(id) === 1 && chained.until(id, again.look),
    });
    chained.until("m1", async () => true);
    await pass(1);
    expect(chained.has("m1")).toBe(true);
    chained.close();
  });
});

describe("closing", () => {
  it("ends all of them, leaves no timer, and lets none begin", async () => {
    const [first, late] = [lookFrom(100), lookFrom(1)];
    lookouts.until("m1", first.look);
    lookouts.until("m2", lookFrom(100).look);
    await pass(10);
    lookouts.close();
    lookouts.until("m3", late.look);
    await pass(1000);
    expect([first.times.length, late.times.length, settled, vi.getTimerCount()]).toEqual([1, 0, [], 0]);
  });
});
