// Payment methods in words.

import { expect, it } from "vitest";
import { expiryText, methodName } from "./method-words.ts";

it("a method is named by what people recognize it by", () => {
  expect(methodName({ brand: "visa", last4: "4242" })).toBe("Visa ending in 4242");
  expect(methodName({ brand: "sepa_debit", last4: null })).toBe("Sepa debit");
  expect(methodName({ brand: null, last4: null })).toBe("New payment method");
  expect([expiryText(8, 2030), expiryText(null, null)]).toEqual(["08/2030", "–"]);
});
