// Why an instance type fits in a region or does not.

import { describe, expect, it } from "vitest";
import { filterNames } from "../../../../src/rental/capacity/explain.ts";
import { filters, verdictOf } from "./verdict.ts";

/** Left after each filter, in order. */
const capacity = (hosts: number, left: readonly number[]) => ({
  region: "north",
  hosts,
  filters: filterNames.map((filter, index) => ({ filter, hosts_left: left[index] ?? 0 })),
  returning: [],
});

describe("the verdict on an instance type in a region", () => {
  it("counts the hosts that the last filter leaves", () => {
    expect(verdictOf(capacity(9, [9, 9, 8, 5, 4, 4, 3, 2]))).toEqual({ hosts: 2, reason: "" });
  });

  it("names the first filter that leaves none", () => {
    expect(verdictOf(capacity(9, [9, 9, 0, 0, 0, 0, 0, 0])).reason).toBe("All hosts are cordoned");
    expect(verdictOf(capacity(9, [9, 9, 9, 2, 0, 0, 0, 0])).reason).toBe("No free GPUs");
    expect(verdictOf(capacity(9, [9, 9, 9, 9, 9, 9, 9, 0])).reason).toBe("No free storage");
  });

  it("says where a region has no host at all", () => {
    expect(verdictOf(capacity(0, [])).reason).toBe("No hosts");
  });

  it("has words for every filter of the service", () => {
    expect(Object.keys(filters).sort()).toEqual([...filterNames].sort());
  });
});
