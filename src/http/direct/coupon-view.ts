// Variant D: its views of coupons and what they apply to. Source: specification, Coupon; decisions, Money.

import type { Offer } from "../../rental/catalog/offers.ts";
import type { Coupon } from "../../rental/coupons/coupons.ts";
import { dollars6 } from "../../rules/cost.ts";

export function coupon({ code, discountBasisPoints, deactivationDate }: Coupon) {
  return { code, discountPercent: discountBasisPoints / 100, deactivationDate: deactivationDate.toISOString() };
}

/** `offers`: what the coupon applies to. */
export function validation(validated: Coupon | null, offers: readonly Offer[]) {
  return {
    couponValidation: {
      coupon: validated === null ? null : coupon(validated),
      productDetails: byModel(offers).map((group) =>
        group.map((offer) => productDetail(offer, validated?.discountBasisPoints ?? 0)),
      ),
    },
  };
}

function productDetail({ product, capacityAvailable }: Offer, discountBasisPoints: number) {
  return {
    name: product.name,
    description: product.description,
    pricePerHour: dollars6(product.priceCentsPerHour),
    finalPricePerHour: dollars6(product.priceCentsPerHour, discountBasisPoints),
    inventoryAvailable: capacityAvailable > 0,
  };
}

/** One group for each GPU model, and one for products without GPUs; cheapest first, within each and among them. */
function byModel(offers: readonly Offer[]): Offer[][] {
  const cheapestFirst = offers.toSorted((a, b) => a.product.priceCentsPerHour - b.product.priceCentsPerHour);
  return [...Map.groupBy(cheapestFirst, ({ product }) => product.gpuModel).values()];
}
