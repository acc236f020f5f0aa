// Failures of payments are told in words, also those that only the provider knows.

import { expect, it } from "vitest";
import { noMethodReason } from "../../../src/rules/auto-top-ups.ts";
import { ownFailures } from "../../../src/rules/payments.ts";
import { failureWords } from "./payment-words.ts";

it("a failure is a sentence, whatever word the provider has for it", () => {
  expect(failureWords("insufficient_funds")).toBe("The card or account has too little money.");
  expect(failureWords(noMethodReason)).toBe("There was no saved payment method.");
  expect(failureWords("pickup_card")).toBe("Pickup card.");
  for (const own of Object.values(ownFailures))
    expect(failureWords(own)).toMatch(/^(The provider|It was not charged:) .*\.$/);
});
