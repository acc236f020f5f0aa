// The name of an instance type on its card.

import { expect, it } from "vitest";
import { typeName } from "./instance-type-choice.tsx";

const type = { name: "gpu_1x_a6000", description: "1x A6000 (48 GB)", gpus: 1, gpu_description: "A6000 (48 GB)" };

it("it is the GPU, as the number stands beside it", () => {
  expect(typeName(type)).toBe("A6000 (48 GB)");
});

it("without a GPU it is the description, and not what stands for none", () => {
  expect(typeName({ name: "cpu_8x", description: "8 vCPUs", gpus: 0, gpu_description: "N/A" })).toBe("8 vCPUs");
});

it("it is never nothing", () => {
  expect(typeName({ ...type, gpu_description: "" })).toBe("1x A6000 (48 GB)");
  expect(typeName({ name: "x", description: "", gpus: 0, gpu_description: "" })).toBe("x");
});
