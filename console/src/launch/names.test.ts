// The names of a launch before it.

import { expect, it } from "vitest";
import { inUseWords, namesShown } from "./names.ts";

it("several instances are told what they will be called", () => {
  expect(namesShown("l", 1)).toBeUndefined();
  expect(namesShown("", 3)).toBeUndefined();
  expect(namesShown("l", 2)).toBe("l-1, l-2");
  expect(namesShown("l", 12)).toBe("l-1 … l-12");
});

it("names in use are told", () => {
  expect(inUseWords([])).toBeUndefined();
  expect(inUseWords(["l"])).toBe("You already have an instance named l.");
  expect(inUseWords(["l-1", "l-2"])).toBe("You already have instances named l-1, l-2.");
  expect(inUseWords(["a", "b", "c", "d", "e"])).toBe("You already have instances named a, b, c, d and 1 more.");
});
