import { describe, expect, it } from "vitest";
import { modelOf, pciId } from "./gpu-models.ts";

describe("a card", () => {
  it("is known by its vendor and product, however they are written", () => {
    expect(modelOf(pciId("10de", "2330"), {})).toEqual({ model: "h100_sxm5", memoryGib: 80 });
    expect(modelOf(pciId("10DE", "20B2"), {})).toEqual({ model: "a100_sxm4_80gb", memoryGib: 80 });
    expect(modelOf(pciId("1002", "74a1"), {})).toEqual({ model: "mi300x", memoryGib: 192 });
  });

  it("is what the settings call it, before anything else", () => {
    const gpuModels = { "10de:2330": { model: "mine", memoryGib: 79 }, "abcd:0001": { model: "new", memoryGib: 1 } };
    expect(modelOf(pciId("10de", "2330"), gpuModels)).toEqual({ model: "mine", memoryGib: 79 });
    expect(modelOf(pciId("ABCD", "0001"), gpuModels)).toEqual({ model: "new", memoryGib: 1 });
  });

  it.each([
    ["of a remote console", "1a03", "2000"],
    ["of another vendor with the same product", "1002", "2330"],
    ["without a vendor", undefined, "2330"],
    ["without a product", "10de", ""],
    ["that says nothing", undefined, undefined],
  ])("%s is nothing to rent", (_what, vendorId, productId) => {
    expect(modelOf(pciId(vendorId, productId), {})).toBeUndefined();
  });

  it("is no word that every object has", () => {
    expect(modelOf("constructor", {})).toBeUndefined();
  });
});

it("the id of a card is what operators write in the settings", () => {
  expect(pciId("10DE", "2331")).toBe("10de:2331");
  expect(pciId("10de", undefined)).toBeUndefined();
});
