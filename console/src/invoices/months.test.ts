// Months of the filter of invoices.

import { expect, it } from "vitest";
import { monthsSince } from "./months.ts";

it("months go from the present one back to that of the account", () => {
  const now = Date.parse("2026-03-31T23:59:59.000Z");
  expect(monthsSince("2025-12-31T23:00:00.000Z", now)).toEqual(["2026-03", "2026-02", "2026-01", "2025-12"]);
  expect(monthsSince("2026-03-31T23:59:58.000Z", now)).toEqual(["2026-03"]);
  expect(monthsSince("2001-01-01T00:00:00.000Z", now)).toHaveLength(60);
});
