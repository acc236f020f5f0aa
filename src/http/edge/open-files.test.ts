import { describe, expect, it } from "vitest";
import { connectionsThatFit } from "./open-files.ts";

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             95000                95000                processes
Max open files            ${soft.padEnd(20)} 1048576              files
`;

describe("how many connections fit under the limit of open files", () => {
  it.each([
    ["20000", 19_500],
    ["1024", 524],
    ["256", 128],
    ["unlimited", Number.POSITIVE_INFINITY],
  ])("of %s: %d", (soft, fit) => {
    expect(connectionsThatFit(limits(soft))).toBe(fit);
  });

  it("is known of this process", () => {
    expect(connectionsThatFit()).toBeGreaterThan(100);
  });
});
