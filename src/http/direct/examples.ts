// Variant D: examples for its document. The views create them from one sample instance, so they cannot drift.

import type { Coupon } from "../../rental/coupons/coupons.ts";
import { sampleInstance, sampleOffer } from "../api/samples.ts";
import { sample } from "../api/schema.ts";
import * as couponView from "./coupon-view.ts";
import * as view from "./view.ts";

const sampleCoupon: Coupon = {
  code: "SPRING10",
  discountBasisPoints: 1000,
  deactivationDate: new Date("2026-06-01T00:00:00.000Z"),
  instanceTypes: [],
  active: true,
};

export const inventory = { gpu_inventory: { [sampleOffer.product.name]: view.offer(sampleOffer) } };
export const listed = view.listed(sampleInstance, 0);
export const read = view.read(sampleInstance, 0);
export const instanceUuids = { instanceUuids: [sample.id] };
export const launch = {
  productName: sampleOffer.product.name,
  regionName: "any",
  imageId: 3,
  instanceName: "training",
  sshKeys: ["laptop"],
};
export const image = {
  vm_image_id: 3,
  vm_image_name: "ubuntu-24.04-cuda",
  vm_image_description: "Ubuntu 24.04, CUDA 13",
};
export const coupon = couponView.coupon(sampleCoupon);
export const validation = couponView.validation(sampleCoupon, [sampleOffer]);
