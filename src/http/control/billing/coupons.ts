// Control interface: coupons, for operators. Source: decisions, The control API and Money.
// A code is its coupon's key, and may hold any visible ASCII: codes are printed and typed, not addressed.

import { type Static, Type } from "typebox";
import * as catalog from "../../../rental/catalog/instance-type-store.ts";
import * as coupons from "../../../rental/coupons/coupons.ts";
import { invalid } from "../../../rental/errors.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { type Key, pageQuery } from "../../api/paging.ts";
import { givenMoment, parseMoment } from "../../api/timestamps.ts";
import * as field from "../fields.ts";
import { percent } from "./money.ts";

const Coupon = Type.Object(
  {
    code: field.name("SPRING10"),
    discount_percent: Type.Number(),
    deactivation_date: field.timestamp(),
    instance_types: Type.Array(Type.String()),
    active: Type.Boolean(),
  },
  { title: "Coupon" },
);

const PutCoupon = Type.Object({
  discount_percent: Type.Number({
    minimum: 0.01,
    maximum: 100,
    description: "10 means ten percent; at most two decimals.",
    examples: [12.5],
  }),
  deactivation_date: givenMoment("Expiration."),
  instance_types: Type.Optional(
    Type.Array(Type.String({ ...limit.name }), {
      maxItems: 1000,
      description: "Names of the instance types it applies to; duplicates count once. Default: empty, which means all.",
    }),
  ),
  active: Type.Optional(Type.Boolean({ description: "Whether the coupon can be used. Default: true." })),
});

const CodeParam = Type.Object({
  code: Type.String({ pattern: "^[\\x21-\\x7e]{1,64}$", description: "1 to 64 visible ASCII characters." }),
});

const byCode: Key<{ readonly code: string }> = {
  of: (coupon) => coupon.code,
  accepts: (text) => /^[\x21-\x7e]{1,64}$/.test(text),
};

const tag = "Coupons";
const example = view({
  code: "SPRING10",
  discountBasisPoints: 1000,
  deactivationDate: new Date("2026-06-30T23:59:59.000Z"),
  instanceTypes: ["gpu_1x_h100_pcie"],
  active: true,
});

/** The body of the PUT: the code is in its path. */
const { code: _, ...request } = example;

export function couponRoutes(api: Api): void {
  api.get(
    "/coupons",
    {
      id: "listCoupons",
      tag,
      summary: "List coupons",
      description: "All coupons, by code, including expired ones.",
      scope: "operator",
      query: Type.Object(pageQuery),
      answer: field.many(Coupon),
      example: { answer: { data: [example] } },
    },
    async ({ db, page }) => ({ data: (await page(byCode, (window) => coupons.listCoupons(db, window))).map(view) }),
  );

  api.put(
    "/coupons/:code",
    {
      id: "putCoupon",
      tag,
      summary: "Create or replace a coupon",
      right: "money",
      description: "Instances launched with it keep their discount.",
      scope: "operator",
      params: CodeParam,
      body: PutCoupon,
      answer: field.one(Coupon),
      example: { request, answer: { data: example } },
      errors: ["unknown-name"],
    },
    async ({ tx, params, body }) => {
      await catalog.refuseUnknownProducts(tx, body.instance_types ?? [], "instance_types");
      return { data: view(await coupons.putCoupon(tx, couponFrom(params.code, body))) };
    },
  );

  api.delete(
    "/coupons/:code",
    {
      id: "deleteCoupon",
      tag,
      summary: "Delete a coupon",
      right: "money",
      description: "It can no longer be used; instances launched with it keep their discount.",
      scope: "operator",
      params: CodeParam,
      answer: field.nothing,
      example: { answer: { data: {} } },
      errors: ["unknown-object"],
    },
    async ({ tx, params }) => {
      await coupons.deleteCoupon(tx, params.code);
      return { data: {} };
    },
  );
}

function couponFrom(code: string, body: Static<typeof PutCoupon>): coupons.Coupon {
  return {
    code,
    discountBasisPoints: basisPoints(body.discount_percent),
    deactivationDate: parseMoment("deactivation_date", body.deactivation_date),
    instanceTypes: [...new Set(body.instance_types)],
    active: body.active ?? true,
  };
}

/** Throws RentalError invalid-parameters for more than two decimals, counted in JSON's text of the number. */
function basisPoints(percents: number): number {
  if (!/^\d+(\.\d{1,2})?$/.test(String(percents))) {
    throw invalid("discount_percent", "Must have at most two decimals.");
  }
  return Math.round(percents * 100);
}

function view(coupon: coupons.Coupon) {
  return {
    code: coupon.code,
    discount_percent: percent(coupon.discountBasisPoints),
    deactivation_date: coupon.deactivationDate.toISOString(),
    instance_types: [...coupon.instanceTypes],
    active: coupon.active,
  };
}
