import { beforeEach, describe, expect, it } from "vitest";
import { Ended } from "./ended.ts";

let now = 0;
let ended: Ended;
beforeEach(() => {
  now = 1000;
  ended = new Ended(() => now);
});

describe("a guest that has ended", () => {
  it("is known as soon as it was told, and no other", () => {
    ended.note("a", true);
    expect([ended.has("a"), ended.has("b")]).toEqual([true, false]);
  });

  it.each([["it was put away"], ["it was started"]])("is forgotten with the next event: %s", () => {
    ended.note("a", true);
    ended.note("a", false);
    expect(ended.has("a")).toBe(false);
  });

  it("is forgotten when that event does not come, and when events were missed", () => {
    ended.note("a", true);
    now += 14_000;
    expect(ended.has("a")).toBe(true);
    now += 2000;
    expect(ended.has("a")).toBe(false);
    ended.note("b", true);
    ended.forgetAll();
    expect(ended.has("b")).toBe(false);
  });
});
