// What an instance has cost by now.

import { describe, expect, it } from "vitest";
import { type Billed, costNow, isBilled, pricePerHour } from "./live-cost.ts";

const type = {
  name: "gpu_1x_h100_pcie",
  description: "1x H100 PCIe (80 GB)",
  gpu_model: "h100-pcie",
  gpu_description: "H100 PCIe (80 GB)",
  gpus: 1,
  vcpus: 26,
  memory_gib: 200,
  storage_gb: 512,
  price_cents_per_hour: 360,
  spot_price_cents_per_hour: null,
  architecture: "x86_64",
} as const;
const instance = (more: Partial<Billed> = {}): Billed => ({
  status: "active",
  health: "ok",
  active_at: "2026-03-01T12:00:00.000Z",
  terminating_at: null,
  cost_micro_cents: "1000000",
  instance_type: type,
  coupon: null,
  maintenance: null,
  ...more,
});

describe("the cost of an instance", () => {
  it("grows by its price from what was read", () => {
    expect(costNow(instance(), 0, 0)).toBe(1_000_000n);
    expect(costNow(instance(), 0, 10_000)).toBe(2_000_000n);
    expect(costNow(instance(), 0, 3_600_000)).toBe(361_000_000n);
  });

  it("grows by the price after the coupon", () => {
    const coupon = { code: "SPRING10", discount_percent: 10 };
    expect(pricePerHour(instance({ coupon }))).toBe(324_000_000n);
    expect(costNow(instance({ coupon }), 0, 3_600_000)).toBe(325_000_000n);
  });

  it("does not go back where the clock of the browser does", () => {
    expect(costNow(instance(), 10_000, 0)).toBe(1_000_000n);
  });

  it("stands still once its removal was asked for", () => {
    const ended = instance({ status: "terminating", terminating_at: "2026-03-01T13:00:00.000Z" });
    expect(costNow(ended, 0, 3_600_000)).toBe(1_000_000n);
  });
});

describe("the cost of an instance whose host is unreachable", () => {
  it("stays at what was read", () => {
    expect(costNow(instance({ health: "unreachable" }), 0, 60_000)).toBe(1_000_000n);
  });
});

describe("an instance is billed", () => {
  it("stopped and stopping too, and when it boots again; not before it was active", () => {
    expect(isBilled(instance({ status: "stopping" }))).toBe(true);
    expect(isBilled(instance({ status: "stopped", active_at: null }))).toBe(true);
    expect(isBilled(instance({ status: "booting" }))).toBe(true);
    expect(isBilled(instance({ status: "booting", active_at: null }))).toBe(false);
    expect(isBilled(instance({ status: "terminated" }))).toBe(false);
  });
});
