// The balance of each day, as the ledger has it.

import { expect, it } from "vitest";
import { balancePerDay } from "./per-day.ts";

/** Newest first, from amounts in order. */
function ledger(...made: readonly (readonly [created: string, amount: number, until?: string])[]) {
  let sum = 0;
  return made
    .map(([created_at, amount, until = null]: readonly [string, number, (string | null)?]) => {
      sum += amount;
      return { created_at, until, amount_micro_cents: String(amount), balance_micro_cents: String(sum) };
    })
    .reverse();
}

const days = ["2026-03-01", "2026-03-02", "2026-03-03", "2026-03-04"];
const numbers = (entries: ReturnType<typeof ledger>, isWhole = true) =>
  balancePerDay(entries, { days, isWhole, present: 5n }).map(({ microCents }) =>
    microCents === undefined ? undefined : Number(microCents),
  );

it("a day has the payments of it and before, and the usage of it, which is posted on the next", () => {
  const entries = ledger(
    ["2026-03-02T09:00:00.000Z", 100],
    ["2026-03-03T00:05:00.000Z", -30, "2026-03-03T00:00:00.000Z"],
    ["2026-03-03T10:00:00.000Z", 10],
    ["2026-03-04T00:05:00.000Z", -40, "2026-03-04T00:00:00.000Z"],
  );
  expect(numbers(entries)).toEqual([0, 70, 40, 5]);
  expect(balancePerDay(entries, { days, isWhole: true, present: 5n }).map(({ day }) => day)).toEqual(days);
});

it("a correction of an earlier day counts for that day", () => {
  const entries = ledger(
    ["2026-03-01T09:00:00.000Z", 100],
    ["2026-03-04T00:05:00.000Z", 7, "2026-03-02T00:00:00.000Z"],
  );
  expect(numbers(entries)).toEqual([107, 107, 107, 5]);
});

it("days before the entries that were read are not known", () => {
  const entries = ledger(["2026-03-03T09:00:00.000Z", -100]);
  expect(numbers(entries, false)).toEqual([undefined, undefined, -100, 5]);
});

it("without entries it was nothing", () => {
  expect(numbers([]).map(Number)).toEqual([0, 0, 0, 5]);
});
