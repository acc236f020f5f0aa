import { describe, expect, it } from "vitest";
import { createFirstRejection } from "./first-rejection.ts";

function rejections() {
  // A process has run for a while when its first request comes; 0 would be no time to the cache.
  const clock = { now: 1 };
  return { clock, isFirst: createFirstRejection(() => clock.now) };
}

describe("the first rejection of a window", () => {
  it("is one for each token", () => {
    const { isFirst } = rejections();
    expect([isFirst("a", 60), isFirst("a", 60), isFirst("b", 60), isFirst("a", 60)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("comes again when the window is over", () => {
    const { isFirst, clock } = rejections();
    isFirst("a", 17);
    clock.now = 17_001;
    expect(isFirst("a", 1)).toBe(false);
    clock.now = 17_002;
    expect(isFirst("a", 60)).toBe(true);
  });

  it("is told of any number of tokens with limited memory: some come twice, none is left out", () => {
    const { isFirst } = rejections();
    for (let token = 0; token < 25_000; token++) expect(isFirst(`token ${token}`, 60)).toBe(true);
  });
});
