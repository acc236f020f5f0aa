// An amount of dollars as somebody types it.

import { expect, it } from "vitest";
import { centsOf } from "./parse-money.ts";

it("is read as people write it", () => {
  expect(["50", "49.99", "$1,250.5", " 0.07 ", "3."].map(centsOf)).toEqual([5000, 4999, 125_050, 7, 300]);
});

it("may be left out", () => {
  expect(["", "  ", "$"].map(centsOf)).toEqual([null, null, null]);
});

it("is not guessed", () => {
  expect(["-5", "1.234", "ten", "1e5", "1.2.3", "9".repeat(13)].map(centsOf)).toEqual(Array(6).fill(undefined));
});
