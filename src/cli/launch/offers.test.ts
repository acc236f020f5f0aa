// Filters and orders of `lessor types`.

import { describe, expect, it } from "vitest";
import { fitting, matches, type Offer, type OfferFilter, type OfferOrder, sorted } from "./offers.ts";

interface Given {
  readonly gpus?: number;
  readonly gpu?: string;
  readonly price?: number;
  /** How many fit in us-east-1; null: it has no such GPU. */
  readonly fits?: number | null;
}

function offer(name: string, { gpus = 1, gpu = "A10 (24 GB)", price = 100, fits = 1 }: Given = {}): Offer {
  return {
    instance_type: {
      name,
      description: name,
      gpu_model: gpus === 0 ? null : (gpu.split(" ")[0]?.toLowerCase() ?? null),
      gpu_description: gpus === 0 ? "N/A" : gpu,
      gpus,
      vcpus: 8,
      memory_gib: 32,
      storage_gb: 100,
      spot_price_cents_per_hour: null,
      price_cents_per_hour: price,
      architecture: "x86_64",
    },
    available: fits ?? 0,
    regions: [
      { name: "us-east-1", description: "", available: fits ?? 0, offered: fits !== null, returning: [] },
      { name: "us-west-1", description: "", available: 0, offered: false, returning: [] },
    ],
  };
}

const cpu = offer("cpu", { gpus: 0, price: 16 });
const small = offer("a10", { price: 75, fits: 0 });
const large = offer("h100", { gpu: "H100 (80 GB PCIe)", price: 249, gpus: 8 });
const elsewhere = offer("l40s", { gpu: "L40S (48 GB)", price: 98, fits: null });
const all = [small, cpu, large, elsewhere];

const named = (filter: Partial<OfferFilter>) =>
  all.filter((one) => matches(one, { available: false, ...filter })).map((one) => one.instance_type.name);

describe("offers", () => {
  it("are filtered by GPU, memory per GPU, price, region and capacity", () => {
    expect(named({})).toEqual(["a10", "cpu", "h100", "l40s"]);
    expect(named({ gpu: "H100" })).toEqual(["h100"]);
    expect(named({ gpu: "n/a" })).toEqual([]);
    expect(named({ gpuMemoryGb: 48 })).toEqual(["h100", "l40s"]);
    expect(named({ maxPriceCents: 98 })).toEqual(["a10", "cpu", "l40s"]);
    expect(named({ region: "us-east-1" })).toEqual(["a10", "cpu", "h100"]);
    expect(named({ region: "us-west-1" })).toEqual([]);
    expect(named({ available: true })).toEqual(["cpu", "h100"]);
    expect(named({ gpuMemoryGb: 24, maxPriceCents: 100, available: true })).toEqual([]);
  });

  it("that no region has the GPUs for are not called full", () => {
    expect([fitting(small, undefined), fitting(elsewhere, undefined)]).toEqual([0, null]);
    expect([fitting(large, "us-east-1"), fitting(large, "us-west-1")]).toEqual([1, null]);
  });

  it.each<[OfferOrder, boolean, string[]]>([
    ["name", false, ["a10", "cpu", "h100", "l40s"]],
    ["name", true, ["l40s", "h100", "cpu", "a10"]],
    ["price", false, ["cpu", "a10", "l40s", "h100"]],
    ["price", true, ["h100", "l40s", "a10", "cpu"]],
    ["gpus", true, ["h100", "a10", "l40s", "cpu"]],
    // What has no GPU is last either way.
    ["gpu-memory", false, ["a10", "l40s", "h100", "cpu"]],
    ["gpu-memory", true, ["h100", "l40s", "a10", "cpu"]],
    ["available", true, ["cpu", "h100", "a10", "l40s"]],
  ])("are sorted by %s (descending: %s)", (order, descending, names) => {
    expect(sorted(all, order, descending).map((one) => one.instance_type.name)).toEqual(names);
  });
});
