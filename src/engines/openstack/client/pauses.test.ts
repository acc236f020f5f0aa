import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { failure } from "../../../../test/support/engine-calls.ts";
import { Pauses } from "./pauses.ts";

beforeAll(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterAll(() => void vi.useRealTimers());

const headers = (values: Readonly<Record<string, string>>) => (name: string) => values[name];

function begin() {
  const clock = { now: 0 };
  const pauses = new Pauses(() => clock.now);
  const over = (signal = new AbortController().signal) => pauses.over("compute", "compute", signal);
  return { clock, pauses, over };
}

describe("a pause that a service asks for", () => {
  it.each([413, 429, 503])("with HTTP %i is waited for where it is short", async (status) => {
    const { pauses, over } = begin();
    expect(pauses.note("compute", status, headers({ "retry-after": "5" }))).toBe(5);
    const events: string[] = [];
    const waiting = over().then(() => events.push("over"));
    await vi.advanceTimersByTimeAsync(4999);
    expect(events).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    expect(events).toEqual(["over"]);
  });

  it("is not waited for where it is long, until little of it is left", async () => {
    const { clock, pauses, over } = begin();
    pauses.note("compute", 429, headers({ "retry-after": "6" }));
    expect(await failure(over())).toMatchObject({
      name: "ApiError",
      status: 429,
      service: "compute",
      message: "compute asked for a pause; it has 6 s left.",
      retryAfterSeconds: 6,
    });
    clock.now = 6000;
    await over();
  });

  it("ends for a caller that gives up", async () => {
    const { pauses, over } = begin();
    pauses.note("compute", 503, headers({ "retry-after": "5" }));
    const caller = new AbortController();
    const waiting = failure(over(caller.signal));
    caller.abort(new Error("too late"));
    expect(await waiting).toMatchObject({ message: "too late" });
  });

  it("can be a time by the clock of the service", () => {
    const { pauses } = begin();
    const header = { "retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", date: "Wed, 21 Oct 2015 07:28:00 GMT" };
    expect(pauses.note("compute", 503, headers(header))).toBe(30);
  });

  it.each([
    [403, "60"],
    [429, "soon"],
    [429, "-1"],
    [429, "0"],
    [503, "Wed, 21 Oct 2015 07:28:30 GMT"],
  ])("is none with HTTP %i and %s", async (status, text) => {
    const { pauses, over } = begin();
    expect(pauses.note("compute", status, headers({ "retry-after": text }))).toBeUndefined();
    await over();
  });

  it("is an hour at most", () => {
    expect(begin().pauses.note("compute", 503, headers({ "retry-after": "999999999" }))).toBe(3600);
  });
});
