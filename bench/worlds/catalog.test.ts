import { describe, expect, it } from "vitest";
import {
  gpusPerHost,
  hostSize,
  hot,
  hugeWorld,
  largeWorld,
  mainWorld,
  mediumWorld,
  productsOf,
  smallWorld,
  type WorldSpec,
} from "./catalog.ts";

const hostsOf = (world: WorldSpec) => world.hosts.reduce((sum, group) => sum + group.count, 0);

describe("the worlds", () => {
  it("are as large as they are called", () => {
    const sizes = [smallWorld, mediumWorld, largeWorld, hugeWorld].map(hostsOf);
    expect(sizes).toEqual([100, 1000, 10_000, 100_000]);
    expect(hostsOf(largeWorld) * gpusPerHost).toBe(80_000);
    const withGpus = [...productsOf(largeWorld).keys()].filter((name) => name.startsWith("gpu_"));
    expect(withGpus).toHaveLength(60);
  });

  it("have as much room for the hot product as for all others", () => {
    const [spread, hotHosts] = mainWorld.hosts;
    expect(hotHosts).toMatchObject({ count: spread?.count, models: [hot.model], regions: [hot.region] });
  });

  it("have every model in every region", () => {
    for (const { hosts } of [mainWorld, smallWorld, mediumWorld, largeWorld, hugeWorld])
      for (const { count, models, regions } of hosts) expect(count % (models.length * regions.length)).toBe(0);
  });

  it("have hosts on which all their GPUs can be rented, in machines of any size", () => {
    for (const body of productsOf(largeWorld).values()) {
      const { gpus, vcpus, memory_gib, storage_gb } = body as Record<string, number>;
      if (gpus === undefined || vcpus === undefined || gpus === 0) continue;
      const machines = Math.floor(gpusPerHost / gpus);
      expect(machines * vcpus).toBeLessThanOrEqual(hostSize.vcpus);
      expect(machines * (memory_gib ?? 0)).toBeLessThanOrEqual(hostSize.memoryGib);
      expect(machines * (storage_gb ?? 0)).toBeLessThanOrEqual(hostSize.storageGb);
    }
  });
});
