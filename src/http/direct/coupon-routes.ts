// Variant D: coupons. Specification, "Endpoints, variant D"; paths: decisions, section 8. They are POST, but change
// nothing: the scope `read` suffices.

import * as catalog from "../../rental/catalog/offers.ts";
import * as coupons from "../../rental/coupons/coupons.ts";
import type { Api } from "../api/operations.ts";
import * as schema from "./account-schema.ts";
import * as view from "./coupon-view.ts";
import * as example from "./examples.ts";
import * as vendor from "./vendor.ts";

export function couponRoutes(api: Api): void {
  api.post(
    "/coupon/information",
    {
      id: "retrieveCoupon",
      tag: "Coupons",
      summary: "Retrieve a coupon",
      description: "A coupon, including expired ones. Without a code, `coupon` is null.",
      scope: "read",
      right: "see",
      body: schema.CouponCode,
      bodyOptional: true,
      answer: schema.RetrievedCoupon,
      pinned: vendor.retrievedCoupon,
      example: { request: { coupon: "SPRING10" }, answer: { coupon: example.coupon } },
      errors: ["unknown-name"],
    },
    async ({ tx, body }) => ({
      coupon: body.coupon === undefined ? null : view.coupon(await coupons.couponByCode(tx, body.coupon)),
    }),
  );

  api.post(
    "/coupon/accepted-products",
    {
      id: "validateCoupon",
      tag: "Coupons",
      summary: "Validate a coupon",
      description:
        "The products a coupon applies to, with discounted prices. Without a code: every product at list price.",
      scope: "read",
      right: "see",
      body: schema.CouponCode,
      bodyOptional: true,
      answer: schema.Validation,
      pinned: vendor.validation,
      example: { request: { coupon: "SPRING10" }, answer: example.validation },
      errors: ["unknown-name", "coupon-refused"],
    },
    async ({ tx, service, body }) => {
      const { coupon, products } = await coupons.validateCoupon(tx, body.coupon);
      const names = new Set(products.map(({ name }) => name));
      const offers = (await catalog.offers(tx, service)).filter(({ product }) => names.has(product.name));
      return view.validation(coupon, offers);
    },
  );
}
