import { describe, expect, it } from "vitest";
import { Pauses } from "./pauses.ts";

function begin() {
  let now = 0;
  const pauses = new Pauses(() => now);
  /** For how many seconds the key is left out from now on. */
  const secondsOf = (key: string) => {
    const began = now;
    while (pauses.has(key)) now += 1000;
    return (now - began) / 1000;
  };
  return { pauses, secondsOf };
}

describe("a pause", () => {
  it("is twice as long after each failure in a row, to a limit", () => {
    const { pauses, secondsOf } = begin();
    const seconds = Array.from({ length: 6 }, () => {
      pauses.begin("a");
      return secondsOf("a");
    });
    expect(seconds).toEqual([20, 40, 80, 160, 240, 240]);
  });

  it("ends where something has changed, and is short the next time", () => {
    const { pauses, secondsOf } = begin();
    pauses.begin("a");
    pauses.begin("a");
    pauses.end("a");
    expect(pauses.has("a")).toBe(false);
    pauses.begin("a");
    expect(secondsOf("a")).toBe(20);
  });

  it("is of one key, and is forgotten with it", () => {
    const { pauses } = begin();
    pauses.begin("a");
    pauses.begin("b");
    pauses.keepOnly(new Set(["b"]));
    expect([pauses.has("a"), pauses.has("b"), pauses.has("c")]).toEqual([false, true, false]);
  });
});
