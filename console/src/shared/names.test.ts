// What instance types and regions are called.

import { expect, it } from "vitest";
import { regionTitle, typeTitle } from "./names.tsx";

it("a description stands for an instance type and a region, and their names where there is none", () => {
  expect(typeTitle({ name: "gpu_1x_a10", description: "1x A10" })).toBe("1x A10");
  expect(typeTitle({ name: "gpu_1x_a10", description: "" })).toBe("gpu_1x_a10");
  expect(regionTitle({ name: "us-east-1", description: "Virginia, USA" })).toBe("Virginia, USA (us-east-1)");
  expect(regionTitle({ name: "us-east-1", description: "" })).toBe("us-east-1");
});
