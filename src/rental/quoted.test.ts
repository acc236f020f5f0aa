// What clients wrote and is shown to them again: cut where it is long, and then it shows.

import { expect, it } from "vitest";
import { cut, quoted } from "./quoted.ts";

it("a short text is quoted whole", () => {
  expect(quoted("x".repeat(80))).toBe(`"${"x".repeat(80)}"`);
  expect(quoted('a"b\n')).toBe('"a\\"b\\n"');
});

it("a long one ends in … where it is cut", () => {
  expect(quoted("x".repeat(81))).toBe(`"${"x".repeat(80)}…"`);
});

it("a character of two units is not cut in half", () => {
  expect(cut(`${"x".repeat(79)}😀`, 80)).toBe(`${"x".repeat(79)}…`);
  expect(cut("😀", 2)).toBe("😀");
});
