// Amounts of invoices in their currency.

import { expect, it } from "vitest";
import { amountIn } from "./amount.ts";

it("an amount has two digits after the point, and the currency", () => {
  expect(amountIn(119_000, "EUR")).toBe("1,190.00 EUR");
  expect(amountIn(0, "USD")).toBe("0.00 USD");
  expect(amountIn(-505, "EUR")).toBe("−5.05 EUR");
});
