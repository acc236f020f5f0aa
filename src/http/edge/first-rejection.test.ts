import { describe, expect, it } from "vitest";
import { createFirstRejection } from "./first-rejection.ts";

function firstRefusal() {
  const clock = { now: 0 };
  return { clock, isFirst: createFirstRejection(() => clock.now) };
}

describe("the first refusal of a window", () => {
  it("is one for each token", () => {
    const { isFirst } = firstRefusal();
    expect([isFirst("a", 60), isFirst("a", 60), isFirst("b", 60), isFirst("a", 60)]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  it("comes again when the window is over", () => {
    const { isFirst, clock } = firstRefusal();
    isFirst("a", 17);
    clock.now = 16_999;
    expect(isFirst("a", 1)).toBe(false);
    clock.now = 17_000;
    expect(isFirst("a", 60)).toBe(true);
  });

  it("is told of any number of tokens with bounded memory: some come twice, none is left out", () => {
    const { isFirst } = firstRefusal();
    for (let token = 0; token < 25_000; token++) expect(isFirst(`token ${token}`, 60)).toBe(true);
  });
});
