// The order of instance types on the launch page.

import { describe, expect, it } from "vitest";
import { gpuMemoryGb, type OfferOrder, sortOffers } from "./sort-offers.ts";

const offer = (name: string, gpus: number, gpu_description: string, price_cents_per_hour: number) => ({
  instance_type: {
    name,
    description: "",
    gpu_model: null,
    gpu_description,
    gpus,
    vcpus: 1,
    memory_gib: 1,
    storage_gb: 1,
    price_cents_per_hour,
    spot_price_cents_per_hour: null,
    architecture: "x86_64" as const,
  },
});

const all = [
  offer("a10", 1, "A10 (24 GB PCIe)", 75),
  offer("cpu", 0, "", 10),
  offer("h100x8", 8, "H100 (80 GB SXM5)", 2400),
  offer("own", 1, "Our own GPU", 50),
  offer("a10x2", 2, "A10 (24 GB PCIe)", 150),
  offer("l40s", 1, "L40S (48GiB)", 110),
];

const sorted = (order: OfferOrder) => sortOffers(all, order).map(({ instance_type }) => instance_type.name);

describe("instance types", () => {
  it("are sorted by price", () => {
    expect(sorted("cheapest")).toEqual(["cpu", "own", "a10", "l40s", "a10x2", "h100x8"]);
    expect(sorted("dearest")).toEqual(["h100x8", "a10x2", "l40s", "a10", "own", "cpu"]);
  });

  it("are sorted by the memory of all their GPUs, the cheaper first, and what has none last", () => {
    expect(sorted("most-gpu-memory")).toEqual(["h100x8", "l40s", "a10x2", "a10", "cpu", "own"]);
    expect(sorted("least-gpu-memory")).toEqual(["a10", "l40s", "a10x2", "h100x8", "cpu", "own"]);
  });

  it("have the memory that their GPUs are described with", () => {
    expect(all.map(({ instance_type }) => gpuMemoryGb(instance_type))).toEqual([24, undefined, 640, undefined, 48, 48]);
  });
});
