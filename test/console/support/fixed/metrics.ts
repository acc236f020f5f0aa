// What the guests of the fixed world report: an hour of training on two GPUs, with a pause and a gap.

import type { Shape } from "../../../../src/client/client.ts";
import { guestMetrics } from "../../../../src/rules/guest-metrics.ts";
import { ago, minute } from "./moments.ts";

type Metrics = Shape<"InstanceMetrics">;
type Metric = Metrics["series"][number]["metric"];

const points = 240;

export function instanceMetrics(): Metrics {
  const load = (at: number, gpu: number) => (at > 150 && at < 180 ? 4 : 88 + 8 * Math.sin(at / (6 + gpu)));
  const gpus = [0, 1].flatMap((gpu) => [
    series("gpu_utilization", gpu, (at) => load(at, gpu)),
    series("gpu_memory_used", gpu, (at) => (60 + gpu + Math.sin(at / 30)) * 1024),
    series("gpu_memory_size", gpu, () => 80 * 1024),
    series("gpu_temperature", gpu, (at) => 34 + load(at, gpu) / 3),
    series("gpu_power", gpu, (at) => 80 + 5 * load(at, gpu)),
    series("gpu_ecc_errors", gpu, () => 0),
  ]);
  return {
    from: ago(60 * minute),
    to: ago(0),
    step_seconds: 15,
    series: [
      series("cpu_utilization", null, (at) => 12 + load(at, 0) / 5),
      series("memory_used", null, (at) => (90 + 10 * Math.sin(at / 50)) * 1024),
      series("memory_size", null, () => 256 * 1024),
      series("disk_used", null, (at) => (310 + at / 8) * 1024),
      series("disk_size", null, () => 1024 * 1024),
      ...gpus,
    ],
    faults: [],
  };
}

function series(metric: Metric, gpu: number | null, of: (at: number) => number): Metrics["series"][number] {
  const values = Array.from({ length: points }, (_, at) => (at > 60 && at < 75 ? null : Math.round(of(at) * 2) / 2));
  return { metric, unit: guestMetrics[metric].unit, gpu, values };
}
