// Numbers as people read them.

import { expect, it } from "vitest";
import { counted, formatNumber } from "./format-number.ts";

it("a number has separators, and no digits that say nothing", () => {
  expect([0, 999, 1000, 20_000, 1_234_567].map((value) => formatNumber(value))).toEqual([
    "0",
    "999",
    "1,000",
    "20,000",
    "1,234,567",
  ]);
  expect([formatNumber(2.5), formatNumber(2.0), formatNumber(734.0032, 1)]).toEqual(["2.5", "2", "734"]);
});

it("what is counted is one, or several", () => {
  expect([0, 1, 2, 1000].map((count) => counted(count, "host"))).toEqual([
    "0 hosts",
    "1 host",
    "2 hosts",
    "1,000 hosts",
  ]);
  expect(counted(2, "entry", "entries")).toBe("2 entries");
});
