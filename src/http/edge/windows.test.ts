import { describe, expect, it } from "vitest";
import { Windows } from "./windows.ts";

/** At most three a minute, with a clock that the test moves. */
function windows(part: { keys?: number } = {}) {
  const clock = { now: 1000 };
  return { clock, counted: new Windows({ most: 3, now: () => clock.now, ...part }) };
}

describe("a window", () => {
  it("counts down to nothing, and says when more came than may", () => {
    const { counted } = windows();
    const states = Array.from({ length: 5 }, () => counted.count("a"));
    expect(states.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0, 0]);
    expect(states.map(({ isExceeded }) => isExceeded)).toEqual([false, false, false, true, true]);
  });

  it("begins with the first that is counted, and ends a minute later", () => {
    const { counted, clock } = windows();
    expect(counted.count("a").seconds).toBe(60);
    clock.now += 59_001;
    for (let n = 0; n < 3; n++) counted.count("a");
    expect(counted.count("a")).toEqual({ remaining: 0, seconds: 1, isExceeded: true });
    clock.now += 999;
    expect(counted.count("a")).toEqual({ remaining: 2, seconds: 60, isExceeded: false });
  });

  it("is one for each key", () => {
    const { counted } = windows();
    for (let n = 0; n < 4; n++) counted.count("a");
    expect(counted.count("b")).toMatchObject({ remaining: 2, isExceeded: false });
  });

  it("is used up when as many came as may, until it ends", () => {
    const { counted, clock } = windows();
    expect(counted.isUsedUp("a")).toBe(false);
    const told = Array.from({ length: 4 }, () => {
      counted.count("a");
      return counted.isUsedUp("a");
    });
    expect(told).toEqual([false, false, true, true]);
    expect(counted.isUsedUp("b")).toBe(false);
    clock.now += 60_000;
    expect(counted.isUsedUp("a")).toBe(false);
  });

  it("can be looked at without counting", () => {
    const { counted, clock } = windows();
    expect(counted.look("a")).toEqual({ remaining: 3, seconds: 60, isExceeded: false });
    counted.count("a");
    clock.now += 10_000;
    expect(counted.look("a")).toEqual({ remaining: 2, seconds: 50, isExceeded: false });
    expect(counted.count("a").remaining).toBe(1);
  });
});

describe("the memory of windows", () => {
  it("is bounded: those that began first begin anew", () => {
    const { counted, clock } = windows({ keys: 3 });
    for (const key of ["a", "b", "c"]) {
      clock.now += 1;
      counted.count(key);
    }
    counted.count("d");
    expect(["b", "c", "d"].map((key) => counted.look(key).remaining)).toEqual([2, 2, 2]);
    expect(counted.look("a").remaining).toBe(3);
  });

  it("is not spent on a key that begins again", () => {
    const { counted, clock } = windows({ keys: 2 });
    counted.count("a");
    clock.now += 60_000;
    for (const key of ["a", "b", "a", "b"]) counted.count(key);
    expect(["a", "b"].map((key) => counted.look(key).remaining)).toEqual([1, 1]);
  });
});
