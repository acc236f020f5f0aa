import { expect, it } from "vitest";
import { timestampFrom } from "./timestamps.ts";

it.each([
  ["2026-11-30T00:00:00Z", "2026-11-30T00:00:00.000Z"],
  ["2028-02-29T23:59:59.5+02:00", "2028-02-29T21:59:59.500Z"],
])("%s is a timestamp", (text, moment) => {
  expect(timestampFrom(text)?.toISOString()).toBe(moment);
});

it.each([
  ...["2026-11-31T00:00:00Z", "2027-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z"],
  ...["Dec 5 2026", "2026-12-05", "2026-12-05T10:00:00", "2026-12-05 10:00:00Z", "1969-12-31T23:59:59Z", ""],
])("%j is none", (text) => {
  expect(timestampFrom(text)).toBeUndefined();
});
