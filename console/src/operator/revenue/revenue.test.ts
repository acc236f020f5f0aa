// Revenue: sums, and the rows of the chart.

import { describe, expect, it } from "vitest";
import { byAccount, chartDays, daysBetween, daysOf } from "./revenue.ts";

const line = (day: string, account_id: string, microCents: string) => ({
  day,
  account_id,
  instance_id: null,
  reservation_id: null,
  instance_name: null,
  instance_type: null,
  token_id: null,
  instances: 1,
  downtime_seconds: 0,
  credit_micro_cents: "0",
  seconds: 60,
  cost_micro_cents: microCents,
  cost_cents: "",
});

const lines = [
  line("2026-03-01", "a", "150000000"),
  line("2026-03-01", "b", "9007199254740993"),
  line("2026-03-03", "a", "50000000"),
  line("2026-03-03", "c", "1000000"),
];

describe("revenue by account", () => {
  it("is exact where a number of JSON would not be, the highest first", () => {
    expect(byAccount(lines)).toEqual([
      { accountId: "b", microCents: 9_007_199_254_740_993n, seconds: 60 },
      { accountId: "a", microCents: 200_000_000n, seconds: 120 },
      { accountId: "c", microCents: 1_000_000n, seconds: 60 },
    ]);
  });
});

describe("the days of the chart", () => {
  it("leave out no day, and put together the accounts that have no series", () => {
    expect(chartDays(lines, "2026-03-01", "2026-03-03", ["a"])).toEqual([
      { day: "2026-03-01", costs: { a: 150_000_000n, others: 9_007_199_254_740_993n } },
      { day: "2026-03-02", costs: {} },
      { day: "2026-03-03", costs: { a: 50_000_000n, others: 1_000_000n } },
    ]);
  });

  it("go over the end of a month", () => {
    expect(daysBetween("2028-02-28", "2028-03-01")).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  });
});

describe("a period", () => {
  const now = new Date("2026-01-15T23:59:00Z");

  it("of this month ends today", () => {
    expect(daysOf("this-month", now)).toEqual({ from: "2026-01-01", to: "2026-01-15" });
  });

  it("of last month may lie in last year", () => {
    expect(daysOf("last-month", now)).toEqual({ from: "2025-12-01", to: "2025-12-31" });
  });

  it("of 90 days has as many", () => {
    const { from, to } = daysOf("90-days", now);
    expect(daysBetween(from, to)).toHaveLength(90);
  });
});
