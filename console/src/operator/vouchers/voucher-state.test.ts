// Whether a voucher can still be redeemed.

import { expect, it } from "vitest";
import { voucherState } from "./voucher-state.ts";

const now = Date.parse("2026-03-01T12:00:00Z");

it("a voucher is active until it is used up or expires", () => {
  expect(voucherState({ uses: 0, max_uses: 1, expires_at: null }, now)).toBe("Active");
  expect(voucherState({ uses: 1, max_uses: 1, expires_at: null }, now)).toBe("Used up");
  expect(voucherState({ uses: 0, max_uses: 1, expires_at: "2026-03-01T12:00:01.000Z" }, now)).toBe("Active");
  expect(voucherState({ uses: 0, max_uses: 1, expires_at: "2026-03-01T12:00:00.000Z" }, now)).toBe("Expired");
});
