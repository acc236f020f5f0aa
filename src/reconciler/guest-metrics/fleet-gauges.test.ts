import { describe, expect, it } from "vitest";
import { Metrics } from "../../metrics/metrics.ts";
import type { ReadInstance } from "../../rental/guest-metrics/collecting.ts";
import type { Point } from "../../rental/guest-metrics/point.ts";
import { type GpuMetric, gpuMetricNames } from "../../rules/guest-metrics.ts";
import { FleetGauges } from "./fleet-gauges.ts";

const at = (region: string, gpuModel: string | null = "H100"): ReadInstance => ({
  id: crypto.randomUUID(),
  host: "host",
  gpus: 2,
  gpuModel,
  region,
  hasIdleRule: false,
});
const point = (...gpus: Partial<Record<GpuMetric, number>>[]): Point => ({
  samples: 1,
  instance: [],
  gpus: gpus.map((told) => gpuMetricNames.map((name) => told[name] ?? null)),
});

async function shown(metrics: Metrics): Promise<string[]> {
  return (await metrics.text()).split("\n").filter((line) => line.startsWith("lessor_guest_"));
}

describe("what guests report, for operators", () => {
  it("is one value of each metric for each region and model, however many guests there are", async () => {
    const metrics = new Metrics();
    const gauges = new FleetGauges("simulated", metrics);
    gauges.begin();
    gauges.add(at("north"), point({ gpu_utilization: 100, gpu_power: 300, gpu_temperature: 60 }, { gpu_power: 200 }));
    gauges.add(at("north"), point({ gpu_utilization: 50, gpu_temperature: 70 }));
    gauges.add(at("south"), point({ gpu_utilization: 10 }));
    gauges.add(at("south", null), point({ gpu_utilization: 90 }));
    gauges.end(true);
    const north = '{engine="simulated",region="north",model="H100"}';
    expect((await shown(metrics)).sort()).toEqual(
      [
        'lessor_guest_instances{engine="simulated"} 4',
        `lessor_guest_gpu_utilization_percent${north} 75`,
        `lessor_guest_gpu_power_watts${north} 500`,
        `lessor_guest_gpu_temperature_celsius${north} 70`,
        'lessor_guest_gpu_utilization_percent{engine="simulated",region="south",model="H100"} 10',
      ].sort(),
    );
  });

  it("is gone when they report no more, and when another server reads them; that of other engines stays", async () => {
    const metrics = new Metrics();
    const [one, other] = [new FleetGauges("one", metrics), new FleetGauges("other", metrics)];
    for (const gauges of [one, other]) {
      gauges.begin();
      gauges.add(at("north"), point({ gpu_utilization: 1 }));
      gauges.end(true);
    }
    one.begin();
    one.end(true);
    expect(await shown(metrics)).toHaveLength(3);
    one.begin();
    one.end(false);
    expect((await shown(metrics)).every((line) => line.includes('engine="other"'))).toBe(true);
  });
});
