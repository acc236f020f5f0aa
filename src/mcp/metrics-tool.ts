// The tool that shows what an instance uses, as the agent in its guest reports it.

import { Type } from "typebox";
import { guestMetricNames, guestUnits, traitsOf } from "../rules/guest-metrics.ts";
import { InstanceId } from "./instance-tools.ts";
import { checked, MetricsRecord } from "./records.ts";
import { tool } from "./tool.ts";

const mostHours = 720;

export const showMetrics = tool("reads", {
  name: "show_metrics",
  title: "Show what an instance uses",
  description:
    "Shows the use of GPUs, CPUs, memory and disk of one instance over the last hours (last value, mean, highest), and " +
    "errors of its GPUs. Only instances of images with an agent have metrics; everything is as their guest says.",
  input: Type.Object({
    instance_id: InstanceId,
    hours: Type.Optional(
      Type.Integer({ minimum: 1, maximum: mostHours, description: "How many hours before now. Default: 1." }),
    ),
  }),
  async run({ input, service }) {
    const from = new Date(Date.now() - (input.hours ?? 1) * 3_600_000).toISOString();
    const path = `/instances/${encodeURIComponent(input.instance_id)}/metrics?from=${encodeURIComponent(from)}`;
    const metrics = checked(MetricsRecord, await service.call({ interface: "control", method: "GET", path }));
    const lines = metrics.series.flatMap((series) => lineOf(series) ?? []);
    const faults = metrics.faults.map(({ gpu, xid, meaning }) => `GPU ${gpu} reported XID ${xid}: ${meaning}`);
    const text = [...faults, ...(lines.length === 0 ? ["The guest reported nothing in this time."] : lines)].join("\n");
    return { text, data: { metrics } };
  },
});

/** Undefined: without values, or of a metric of a later version. */
function lineOf({ metric, gpu, values }: MetricsRecord["series"][number]): string | undefined {
  const known = values.filter((value) => value !== null);
  const name = guestMetricNames.find((one) => one === metric);
  const last = known.at(-1);
  if (name === undefined || last === undefined) return undefined;
  const { title, unit } = traitsOf(name);
  const { symbol } = guestUnits[unit];
  const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
  const shown = [last, mean, Math.max(...known)].map((value) => `${Math.round(value * 10) / 10} ${symbol}`.trimEnd());
  return `${title}${gpu === null ? "" : ` of GPU ${gpu}`}: ${shown[0]}, mean ${shown[1]}, highest ${shown[2]}`;
}
