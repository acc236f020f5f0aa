import { describe, expect, it } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

const settings = ["port", "host", "reference_port", "data_dir", "database_url", "limits", "max_quantity"];

describe("didYouMean", () => {
  it.each([
    ["prot", "port"],
    ["hosts", "host"],
    ["refrence_port", "reference_port"],
    ["databaseUrl", "database_url"],
    ["dataDir", "data_dir"],
    ["maxQuantity", "max_quantity"],
    ["LESSOR_PORT", "port"],
    ["LESSOR_DATA_DIR", "data_dir"],
    ["limit", "limits"],
  ])("takes %s for %s", (word, meant) => {
    expect(didYouMean(word, settings)).toBe(meant);
  });

  it.each(["colour", "", "x", "webhooks", "__proto__"])("has no idea for %j", (word) => {
    expect(didYouMean(word, settings)).toBeUndefined();
  });

  it("has no idea without candidates", () => {
    expect(didYouMean("port", [])).toBeUndefined();
  });

  it("prefers the exact word to a close one", () => {
    expect(didYouMean("host", ["hosts", "host", "post"])).toBe("host");
  });
});
