// Variant D: the shapes of coupons, SSH keys and the account. Source: specification, Coupon and SSH key; decisions,
// Money and section 8.

import { Type } from "typebox";
import { paymentTerms } from "../../rules/payment-terms.ts";
import * as limit from "../api/documented-limits.ts";

export const CouponCode = Type.Object(
  {
    coupon: Type.Optional(Type.String({ ...limit.coupon, description: "The coupon's code.", examples: ["SPRING10"] })),
  },
  { title: "CouponCode" },
);

const Coupon = Type.Union([
  Type.Object(
    {
      code: Type.String(),
      discountPercent: Type.Number({ description: "10 is ten percent." }),
      deactivationDate: Type.String({ format: "date-time", description: "Expiration." }),
    },
    { title: "Coupon" },
  ),
  Type.Null(),
]);

export const RetrievedCoupon = Type.Object({ coupon: Coupon });

const dollars6 = Type.String({ pattern: "^[0-9]+\\.[0-9]{6}$" });

export const Validation = Type.Object({
  couponValidation: Type.Object({
    coupon: Coupon,
    productDetails: Type.Array(
      Type.Array(
        Type.Object({
          name: Type.String(),
          description: Type.String(),
          pricePerHour: { ...dollars6, description: "List price in dollars." },
          finalPricePerHour: { ...dollars6, description: "After the coupon." },
          inventoryAvailable: Type.Boolean({ description: "Whether one can be launched now." }),
        }),
      ),
      { description: "The products the coupon applies to: one list per GPU model, cheapest first." },
    ),
  }),
});

export const AddKey = Type.Object({
  name: Type.String({
    ...limit.keyName,
    description: "1 to 64 of letters, digits, space, `.`, `_`, `@`, `-`; unique in your account.",
    examples: ["laptop"],
  }),
  publicKey: Type.String({
    ...limit.publicKey,
    description: "One line, as in an authorized_keys file without options.",
  }),
});

export const AddedKey = Type.Object({
  sshKey: Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String() }),
});

export const Keys = Type.Object({
  sshKeys: Type.Array(
    Type.Object({ id: Type.String({ format: "uuid" }), name: Type.String(), public_key: Type.String() }),
  ),
});

export const KeyId = Type.Object({ id: Type.String({ ...limit.uuid, description: "The SSH key's UUID." }) });
export const DeletedKey = Type.Object({ result: Type.Object({}, { additionalProperties: false }) });

export const ValidToken = Type.Object({ message: Type.Enum(["Valid Token"]) });

export const Billing = Type.Object({
  billingMethod: Type.Enum(paymentTerms),
  rechargeThresholdCents: Type.Integer(),
  rechargeThreshold: Type.Number({ description: "Dollars." }),
  rechargeAmountCents: Type.Integer(),
  rechargeAmount: Type.Number({ description: "Dollars." }),
});
