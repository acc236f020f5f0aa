// Whether a token can still be used.

import { expect, it } from "vitest";
import { isOver, tokenState } from "./token-state.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const later = "2026-03-01T12:00:01.000Z";
const before = "2026-03-01T11:59:59.000Z";

it("a token is valid until it expires or is revoked", () => {
  expect(tokenState({ revoked_at: null, expires_at: null }, now)).toBe("Valid");
  expect(tokenState({ revoked_at: null, expires_at: later }, now)).toBe("Valid");
  expect(tokenState({ revoked_at: null, expires_at: before }, now)).toBe("Expired");
  expect(tokenState({ revoked_at: before, expires_at: later }, now)).toBe("Revoked");
});

it("one that was revoked and would have expired is revoked", () => {
  expect(tokenState({ revoked_at: before, expires_at: before }, now)).toBe("Revoked");
  expect(isOver({ revoked_at: before, expires_at: before }, now)).toBe(true);
  expect(isOver({ revoked_at: null, expires_at: later }, now)).toBe(false);
});
