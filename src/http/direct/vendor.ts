// Variant D for a token pinned to `vendor-1.0`: the responses whose values have other types in the public document of
// the vendor whose clients use D. Clients generated from that document decode these, and fail at the specification's
// types. Source: that document (docs/reference/client-compatibility.md names clients generated from it); decisions,
// section 10.
// Invariant: a translation changes types and units, never the content. Used by the routes of this folder, as `pinned`.

import type { Static } from "typebox";
import type { Billing, RetrievedCoupon, Validation } from "./account-schema.ts";
import type { InstanceList, InstanceRead } from "./schema.ts";

/** The list: password and prices are strings, the prices as in the single read. */
export function instances({ runningInstances }: Static<typeof InstanceList>) {
  return {
    runningInstances: runningInstances.map(({ password, product, ...instance }) => ({
      ...instance,
      password: passwordText(password),
      product: {
        ...product,
        price_hr: product.price_hr.toFixed(6),
        final_price_hr: product.final_price_hr.toFixed(6),
      },
    })),
  };
}

/** The single read: the password is a string. */
export function instance({ runningInstance }: Static<typeof InstanceRead>) {
  const shown = { ...runningInstance, password: passwordText(runningInstance.password) };
  return { runningInstance: shown, runningInstances: [shown] };
}

/** A coupon: the discount is a fraction, as a string. */
export function retrievedCoupon({ coupon }: Static<typeof RetrievedCoupon>) {
  return { coupon: withFraction(coupon) };
}

/** What a coupon applies to: the discount likewise, and one list of products instead of one for each GPU model. */
export function validation({ couponValidation }: Static<typeof Validation>) {
  const { coupon, productDetails } = couponValidation;
  return { couponValidation: { coupon: withFraction(coupon), productDetails: productDetails.flat() } };
}

/** The amounts in dollars are strings. */
export function billing({ rechargeThreshold, rechargeAmount, ...rest }: Static<typeof Billing>) {
  return { ...rest, rechargeThreshold: String(rechargeThreshold), rechargeAmount: String(rechargeAmount) };
}

/** Empty if password login is off, which D shows as 0: "0" would be a password. */
function passwordText(password: number): string {
  return password === 0 ? "" : String(password);
}

function withFraction(coupon: Static<typeof RetrievedCoupon>["coupon"]) {
  if (coupon === null) return null;
  // Through whole basis points, so that 28.57 percent are exactly 0.2857.
  return { ...coupon, discountPercent: String(Math.round(coupon.discountPercent * 100) / 10_000) };
}
