// The months that are offered for export ended before, in UTC, also around New Year.

import { expect, it } from "vitest";
import { endedMonths } from "./ended-months.ts";

it("months are offered from the last one that ended back over two years", () => {
  expect(endedMonths(new Date("2026-01-01T00:00:00Z")).slice(0, 2)).toEqual(["2025-12", "2025-11"]);
  expect(endedMonths(new Date("2025-12-31T23:59:59Z"))[0]).toBe("2025-11");
  const months = endedMonths(new Date("2026-03-31T12:00:00Z"));
  expect([months[0], months.at(-1), new Set(months).size]).toEqual(["2026-02", "2024-03", 24]);
});
