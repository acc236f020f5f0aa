// Whether a voucher can still be redeemed. Pure.

import type { Shape } from "../../../../src/client/client.ts";

type Voucher = Pick<Shape<"Voucher">, "uses" | "max_uses" | "expires_at">;

/** `now`: milliseconds since 1970. */
export function voucherState({ uses, max_uses: most, expires_at: at }: Voucher, now: number) {
  if (uses >= most) return "Used up";
  return at !== null && Date.parse(at) <= now ? "Expired" : "Active";
}
