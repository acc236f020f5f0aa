// What the fixed world rents out: regions, images, instance types, coupons.

import type { Shape } from "../../../../src/client/client.ts";
import { ago, day, inTime } from "./moments.ts";

export const regions: Shape<"Region">[] = [
  { name: "eu-central-1", description: "Frankfurt, Germany" },
  { name: "us-east-1", description: "Virginia, USA" },
  { name: "us-west-1", description: "Oregon, USA" },
];

export const images: Shape<"Image">[] = [
  image({ name: "debian-12", number: 3, description: "Debian 12", family: "debian", login_user: "debian" }),
  image({
    name: "ubuntu-20.04-cuda-11",
    number: 4,
    description: "Ubuntu 20.04 with CUDA 11, for older frameworks",
    unsupported_gpu_models: ["l40s", "h100_pcie", "h100_sxm5"],
  }),
  image({
    name: "ubuntu-22.04-cuda",
    number: 1,
    description: "Ubuntu 22.04 with CUDA 12",
    version: "22.04.5",
    jupyter: true,
    default: true,
  }),
  image({ name: "ubuntu-24.04", number: 2, description: "Ubuntu 24.04", version: "24.04.2" }),
];

export const instanceTypes = [
  { ...typeOf("cpu_8x_general", "8 vCPUs, no GPU", null, 0, 16), gpu_description: "N/A", vcpus: 8, memory_gib: 32 },
  { ...typeOf("gpu_1x_a10", "1x A10 (24 GB PCIe)", "a10", 1, 75), spot_price_cents_per_hour: 30 },
  typeOf("gpu_1x_a6000", "1x A6000 (48 GB)", "a6000", 1, 80),
  typeOf("gpu_1x_h100_pcie", "1x H100 (80 GB PCIe)", "h100_pcie", 1, 249),
  typeOf("gpu_2x_a6000", "2x A6000 (48 GB)", "a6000", 2, 160),
  typeOf("gpu_8x_a100_80gb_sxm4", "8x A100 (80 GB SXM4)", "a100_80gb_sxm4", 8, 1432),
  typeOf("gpu_8x_h100_sxm5", "8x H100 (80 GB SXM5)", "h100_sxm5", 8, 2392),
] satisfies Shape<"InstanceType">[];

/** The type of this name. */
export function typeNamed(name: string): Shape<"InstanceType"> {
  const found = instanceTypes.find((one) => one.name === name);
  if (found === undefined) throw new Error(`BUG: the fixed world has no type ${name}`);
  return found;
}

export const coupons: Shape<"Coupon">[] = [
  coupon("AUTUMN25", 25, ago(60 * day), true),
  coupon("H100WEEK", 12.5, inTime(4 * day), true, ["gpu_1x_h100_pcie", "gpu_8x_h100_sxm5"]),
  coupon("RESEARCH", 40, inTime(280 * day), false),
  coupon("WELCOME10", 10, "2099-12-31T23:59:59.000Z", true),
];

function coupon(code: string, percent: number, ends: string, active: boolean, types: string[] = []): Shape<"Coupon"> {
  return { code, discount_percent: percent, deactivation_date: ends, instance_types: types, active };
}

function image(
  given: Pick<Shape<"Image">, "name" | "number" | "description"> & Partial<Shape<"Image">>,
): Shape<"Image"> {
  return {
    family: "ubuntu",
    version: "",
    architecture: "x86_64",
    login_user: "ubuntu",
    unsupported_gpu_models: [],
    jupyter: false,
    metrics: false,
    driver_branch: null,
    default: false,
    created_at: ago(90 * day),
    updated_at: ago(12 * day),
    ...given,
  };
}

function typeOf(
  name: string,
  description: string,
  model: string | null,
  gpus: number,
  cents: number,
): Shape<"InstanceType"> {
  return {
    name,
    description,
    gpu_model: model,
    gpu_description: description.slice(3),
    gpus,
    vcpus: 26 * Math.max(1, gpus),
    memory_gib: 225 * Math.max(1, gpus),
    storage_gb: 1024 * Math.max(1, gpus),
    price_cents_per_hour: cents,
    spot_price_cents_per_hour: null,
    architecture: "x86_64",
  };
}
