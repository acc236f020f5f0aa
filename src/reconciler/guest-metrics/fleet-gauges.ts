// What guests report, for operators: one value of each metric of GPUs for each region and GPU model, and how many
// instances report. Used by collector.ts.
//
// Invariant: the number of values depends on regions and models, which operators define, and on no guest or account.
// Only the server that reads the guests of an engine has values of it.

import type { Metrics } from "../../metrics/metrics.ts";
import type { ReadInstance } from "../../rental/guest-metrics/collecting.ts";
import type { Point } from "../../rental/guest-metrics/point.ts";
import { acrossGpus, type GpuMetric, gpuMetricNames, type PrometheusName } from "../../rules/guest-metrics.ts";

/** The compiler finds a metric without a name, and a name of another one. */
const names = {
  gpu_utilization: "lessor_guest_gpu_utilization_percent",
  gpu_memory_used: "lessor_guest_gpu_memory_used_mebibytes",
  gpu_memory_size: "lessor_guest_gpu_memory_size_mebibytes",
  gpu_temperature: "lessor_guest_gpu_temperature_celsius",
  gpu_power: "lessor_guest_gpu_power_watts",
  gpu_ecc_errors: "lessor_guest_gpu_ecc_errors",
} as const satisfies { [M in GpuMetric]: PrometheusName<M> };

interface Labels extends Record<string, string> {
  readonly engine: string;
  readonly region: string;
  readonly model: string;
}

export class FleetGauges {
  readonly #engine: string;
  readonly #metrics: Metrics;
  #groups = new Map<string, { readonly labels: Labels; readonly values: readonly number[][] }>();
  #instances = 0;
  /** The labels with values. */
  #shown: readonly Labels[] = [];

  constructor(engine: string, metrics: Metrics) {
    this.#engine = engine;
    this.#metrics = metrics;
  }

  begin(): void {
    this.#groups = new Map();
    this.#instances = 0;
  }

  add({ region, gpuModel }: ReadInstance, point: Point): void {
    this.#instances += 1;
    if (gpuModel === null) return;
    const key = JSON.stringify([region, gpuModel]);
    const there = this.#groups.get(key) ?? {
      labels: { engine: this.#engine, region, model: gpuModel },
      values: gpuMetricNames.map((): number[] => []),
    };
    this.#groups.set(key, there);
    for (const gpu of point.gpus) {
      for (const [at, values] of there.values.entries()) {
        const value = gpu[at] ?? null;
        if (value !== null) values.push(value);
      }
    }
  }

  /** Shows what was added since `begin`. `isCollecting`: this server reads the guests. */
  end(isCollecting: boolean): void {
    const engine = this.#engine;
    for (const labels of this.#shown) for (const name of Object.values(names)) this.#metrics.remove(name, labels);
    if (isCollecting) this.#metrics.set("lessor_guest_instances", { engine }, this.#instances);
    else this.#metrics.remove("lessor_guest_instances", { engine });
    for (const { labels, values } of this.#groups.values()) {
      for (const [at, metric] of gpuMetricNames.entries()) {
        const known = values[at] ?? [];
        if (known.length > 0) this.#metrics.set(names[metric], labels, acrossGpus(metric, known));
      }
    }
    this.#shown = [...this.#groups.values()].map(({ labels }) => labels);
  }
}
