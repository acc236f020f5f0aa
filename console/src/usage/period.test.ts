// The periods that usage is looked at in.

import { describe, expect, it } from "vitest";
import { daysOf, periodOf } from "./period.ts";

const now = Date.parse("2026-03-05T23:30:00Z");

describe("a period", () => {
  it("is of whole days of UTC, up to today", () => {
    expect(periodOf("this-month", now)).toEqual({ from: "2026-03-01", to: "2026-03-05" });
    expect(periodOf("7-days", now)).toEqual({ from: "2026-02-27", to: "2026-03-05" });
    expect(periodOf("30-days", now)).toEqual({ from: "2026-02-04", to: "2026-03-05" });
  });

  it("of last month ends with its last day, also over a new year", () => {
    expect(periodOf("last-month", now)).toEqual({ from: "2026-02-01", to: "2026-02-28" });
    expect(periodOf("last-month", Date.parse("2026-01-31T00:00:00Z"))).toEqual({
      from: "2025-12-01",
      to: "2025-12-31",
    });
    expect(periodOf("last-month", Date.parse("2028-03-31T00:00:00Z")).to).toBe("2028-02-29");
  });

  it("has each of its days once", () => {
    expect(daysOf({ from: "2026-02-27", to: "2026-03-02" })).toEqual([
      "2026-02-27",
      "2026-02-28",
      "2026-03-01",
      "2026-03-02",
    ]);
    expect(daysOf({ from: "2026-03-01", to: "2026-03-01" })).toEqual(["2026-03-01"]);
    expect(daysOf(periodOf("30-days", now))).toHaveLength(30);
  });
});
