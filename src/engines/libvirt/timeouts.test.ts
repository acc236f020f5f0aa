import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { placeOn } from "../../../test/support/fake-libvirt/bench.ts";
import { beginStand } from "../../../test/support/fake-libvirt/stand.ts";
import { timeoutPolicy, waitingFor } from "./timeouts.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

async function begin() {
  const stand = await beginStand();
  const asked = () => stand.fake.seen(/^h1 hostname/).length;
  return { ...stand, asked, host: stand.fake.world.host("h1"), place: placeOn(stand, "h1") };
}

describe("patience with a host", () => {
  it("asks nothing of one that answers in time", async () => {
    const { asked, place } = await begin();
    const answer = waitingFor(timeoutPolicy({ askAfterMs: 100 })(place, never), async () => "answered");
    expect(await answer).toBe("answered");
    await vi.advanceTimersByTimeAsync(1000);
    expect([asked(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("goes on with one that is busy, as long as it says that it is there", async () => {
    const { asked, place } = await begin();
    const { signal, end } = timeoutPolicy({ askAfterMs: 100, mostMs: 1000 })(place, never);
    await vi.advanceTimersByTimeAsync(550);
    expect([asked(), signal.aborted]).toEqual([5, false]);
    end();
    await vi.advanceTimersByTimeAsync(1000);
    expect([asked(), signal.aborted]).toEqual([5, false]);
  });

  it("ends at last with one that is there and never answers", async () => {
    const { place } = await begin();
    const { signal } = timeoutPolicy({ askAfterMs: 100, mostMs: 1000 })(place, never);
    await vi.advanceTimersByTimeAsync(2000);
    expect(signal.aborted).toBe(true);
  });

  it.each([
    ["says nothing", (one: { cut(): void }) => one.cut()],
    ["refuses", (one: { stopDaemon(): void }) => one.stopDaemon()],
  ])("ends with one that %s when it is asked whether it is there", async (_what, lose) => {
    const { host, place } = await begin();
    lose(host);
    // Until the question itself is given up, on the real clock of the signal's time-out.
    vi.useRealTimers();
    const { signal } = timeoutPolicy({ askAfterMs: 20 })(place, never);
    await expect.poll(() => signal.aborted).toBe(true);
    expect(signal.reason).toMatchObject({ message: "the host does not respond" });
  });

  it("ends with that of the caller", async () => {
    const { place } = await begin();
    const caller = new AbortController();
    const { signal, end } = timeoutPolicy()(place, caller.signal);
    const reason = new Error("enough");
    caller.abort(reason);
    expect(signal.reason).toBe(reason);
    end();
  });
});

it("a call that fails in time fails as it would", async () => {
  const { place } = await begin();
  const failed = new Error("in vain");
  await expect(waitingFor(timeoutPolicy()(place, never), () => Promise.reject(failed))).rejects.toBe(failed);
  expect(vi.getTimerCount()).toBe(0);
});
