// How much of a monthly spend limit is spent.

import { expect, it } from "vitest";
import { spentShare } from "./spent-share.ts";

const of = (limit: number | null, spent: string | null) =>
  spentShare({ spend_limit_cents: limit, spent_this_month_cents: spent });

it("a spend limit is spent in part, wholly, or beyond, and one of nothing is spent from the start", () => {
  expect(of(null, null)).toBeUndefined();
  expect(of(1000, "800.000000")).toBe(0.8);
  expect(of(1000, "1500.500000")).toBeGreaterThan(1);
  expect(of(0, "0.000000")).toBe(1);
});
