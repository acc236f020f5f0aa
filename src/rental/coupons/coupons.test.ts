// Coupons: readable whatever their state, usable only while they are good, and never silently ignored.

import { describe, expect, it } from "vitest";
import { refusal } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { couponByCode, deleteCoupon, listCoupons, putCoupon, redeem, validateCoupon } from "./coupons.ts";

const world = worldOfFile();
const past = () => new Date(Date.now() - 60_000);

describe("a coupon", () => {
  it("is read as it was put, and replaced when it is put again", async () => {
    const coupon = await world.coupon({ instanceTypes: ["a", "b"] });
    expect(await couponByCode(world.db, coupon.code)).toEqual(coupon);
    const changed = { ...coupon, discountBasisPoints: 10_000, instanceTypes: [], active: false };
    await world.tx((tx) => putCoupon(tx, changed));
    expect(await couponByCode(world.db, coupon.code)).toEqual(changed);
  });

  it("is readable also when it has expired or is switched off", async () => {
    const expired = await world.coupon({ deactivationDate: past() });
    const off = await world.coupon({ active: false });
    expect((await couponByCode(world.db, expired.code)).code).toBe(expired.code);
    expect((await couponByCode(world.db, off.code)).active).toBe(false);
  });

  it("that nobody has is unknown, in letters of the other case too", async () => {
    const { code } = await world.coupon();
    for (const unknown of ["NOTHING", code.toLowerCase(), ""]) {
      expect(Object.keys((await refusal("unknown-name", couponByCode(world.db, unknown))).fields)).toEqual(["coupon"]);
    }
  });

  it("is listed by code, page by page", async () => {
    for (const code of ["C", "A", "B"]) await world.coupon({ code });
    const first = await listCoupons(world.db, { limit: 2 });
    const rest = await listCoupons(world.db, { after: first.at(-1)?.code });
    expect([...first, ...rest].map((coupon) => coupon.code)).toEqual(["A", "B", "C"]);
  });

  it("is gone when it is deleted, and then unknown", async () => {
    const { code } = await world.coupon();
    await world.tx((tx) => deleteCoupon(tx, code));
    await refusal("unknown-name", couponByCode(world.db, code));
    expect(
      await refusal(
        "unknown-object",
        world.tx((tx) => deleteCoupon(tx, code)),
      ),
    ).toEqual({
      what: "coupon",
      ids: [code],
    });
  });
});

describe("redeeming", () => {
  it("works for every product where none is named, and for the named ones only otherwise", async () => {
    const forAll = await world.coupon();
    const forOne = await world.coupon({ instanceTypes: ["this"] });
    expect(await redeem(world.db, forAll.code, "anything")).toEqual(forAll);
    expect(await redeem(world.db, forOne.code, "this")).toEqual(forOne);
    expect(await refusal("coupon-refused", redeem(world.db, forOne.code, "that"))).toEqual({
      code: forOne.code,
      reason: "not-for-product",
      product: "that",
    });
  });

  it("works until the moment of its deactivation, by the database's clock", async () => {
    const { code } = await world.coupon({ deactivationDate: new Date(Date.now() + 3_600_000) });
    await travel(world.db, "59 minutes");
    expect((await redeem(world.db, code, "x")).code).toBe(code);
    await travel(world.db, "2 minutes");
    expect(await refusal("coupon-refused", redeem(world.db, code, "x"))).toEqual({ code, reason: "expired" });
  });

  it("says that it is switched off, though it has expired as well", async () => {
    const { code } = await world.coupon({ active: false, deactivationDate: past() });
    expect(await refusal("coupon-refused", redeem(world.db, code, "x"))).toEqual({ code, reason: "switched-off" });
  });
});

describe("validating", () => {
  it("without a coupon gives every product", async () => {
    const products = [await world.product(), await world.product()];
    expect(await validateCoupon(world.db, undefined)).toEqual({ coupon: null, products });
  });

  it("gives the coupon and the products it is good for", async () => {
    const [one, other] = [await world.product(), await world.product()];
    const forAll = await world.coupon();
    const forOther = await world.coupon({ instanceTypes: [other.name, "not offered"] });
    expect(await validateCoupon(world.db, forAll.code)).toEqual({ coupon: forAll, products: [one, other] });
    expect(await validateCoupon(world.db, forOther.code)).toEqual({ coupon: forOther, products: [other] });
  });

  it("refuses an unknown, an expired and a switched-off coupon, each with its reason", async () => {
    const [expired, off] = [await world.coupon({ deactivationDate: past() }), await world.coupon({ active: false })];
    await refusal("unknown-name", validateCoupon(world.db, "NOTHING"));
    expect((await refusal("coupon-refused", validateCoupon(world.db, expired.code))).reason).toBe("expired");
    expect((await refusal("coupon-refused", validateCoupon(world.db, off.code))).reason).toBe("switched-off");
  });
});
