import { describe, expect, it } from "vitest";
import { modelOf, pciId } from "./gpu-models.ts";

describe("a card", () => {
  it("is known by its vendor and product, however they are written", () => {
    expect(modelOf({ vendor_id: "10de", product_id: "2330" }, {})).toEqual({ model: "h100_sxm5", memoryGib: 80 });
    expect(modelOf({ vendor_id: "10DE", product_id: "20B2" }, {})).toEqual({ model: "a100_sxm4_80gb", memoryGib: 80 });
    expect(modelOf({ vendor_id: "1002", product_id: "74a1" }, {})).toEqual({ model: "mi300x", memoryGib: 192 });
  });

  it("is what the settings call it, before anything else", () => {
    const gpuModels = { "10de:2330": { model: "mine", memoryGib: 79 }, "abcd:0001": { model: "new", memoryGib: 1 } };
    expect(modelOf({ vendor_id: "10de", product_id: "2330" }, gpuModels)).toEqual({ model: "mine", memoryGib: 79 });
    expect(modelOf({ vendor_id: "abcd", product_id: "0001" }, gpuModels)).toEqual({ model: "new", memoryGib: 1 });
  });

  it.each([
    ["of a remote console", { vendor_id: "1a03", product_id: "2000" }],
    ["of another vendor with the same product", { vendor_id: "1002", product_id: "2330" }],
    ["without a vendor", { product_id: "2330" }],
    ["without a product", { vendor_id: "10de", product_id: "" }],
    ["that says nothing", {}],
  ])("%s is nothing to rent", (_what, card) => {
    expect(modelOf(card, {})).toBeUndefined();
  });
});

it("the id of a card is what operators write in the settings", () => {
  expect(pciId({ vendor_id: "10DE", product_id: "2331" })).toBe("10de:2331");
  expect(pciId({ vendor_id: "10de" })).toBeUndefined();
});
