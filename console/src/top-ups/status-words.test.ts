// Payments in words.

import { expect, it } from "vitest";
import { paymentStatuses } from "../../../src/rules/payments.ts";
import { paymentAmount, statusWords } from "./status-words.ts";

it("an amount has its currency", () => {
  expect(paymentAmount(123_450, "usd")).toBe("$1,234.50");
  expect(paymentAmount(500, "eur")).toBe("5.00 EUR");
});

it("each status names the amount", () => {
  for (const status of paymentStatuses) expect(statusWords[status].about("$5.00")).toContain("$5.00");
});
