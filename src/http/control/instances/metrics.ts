// Control interface: what the agent in an instance's guest reported, for its account and operators.
// Invariant: the response is limited in size (guest-metrics/window.ts), and what the guest did not report is null.

import { Type } from "typebox";
import { type GpuFault, gpuFaultsOf } from "../../../rental/guest-metrics/gpu-faults.ts";
import { keptDays } from "../../../rental/guest-metrics/levels.ts";
import { type MetricSeries, readSeries } from "../../../rental/guest-metrics/read-series.ts";
import { mostPoints, mostStep, windowOf } from "../../../rental/guest-metrics/window.ts";
import { guestLines, guestMetricNames, guestMetrics, guestUnits } from "../../../rules/guest-metrics.ts";
import { hardwareXids } from "../../../rules/xids.ts";
import * as limit from "../../api/documented-limits.ts";
import type { Api } from "../../api/operations.ts";
import { parseMoment } from "../../api/timestamps.ts";
import * as field from "../fields.ts";
import { instanceFor } from "./instances.ts";

/** Object.keys returns strings; these are the table's. */
const units = Object.keys(guestUnits) as (keyof typeof guestUnits)[];

const meanings = guestMetricNames
  .map((name) => `\`${name}\` (${guestUnits[guestMetrics[name].unit].meaning}): ${guestMetrics[name].meaning}`)
  .join(" ");

const Series = Type.Object(
  {
    metric: Type.Enum([...guestMetricNames], { title: "GuestMetric", description: meanings }),
    unit: Type.Enum(units, { title: "GuestUnit" }),
    gpu: field.orNull(
      Type.Integer(),
      "Which GPU, counted from 0 in the order of the guest's driver. Null: of the instance.",
    ),
    values: Type.Array(field.orNull(Type.Number()), {
      description: "One for each step, the first from `from` on. Null: the guest did not report it.",
    }),
  },
  { title: "MetricSeries" },
);

const GpuFaultView = Type.Object(
  {
    gpu: Type.Integer({ description: "Counted from 0 in the order of the guest's driver." }),
    xid: Type.Integer({ description: "The number in the catalog of NVIDIA." }),
    meaning: Type.String(),
    first_at: field.timestamp(),
    last_at: field.timestamp(),
  },
  { title: "GpuFault" },
);

const InstanceMetrics = Type.Object(
  {
    from: Type.String({ format: "date-time", description: "Where the first value begins: `from`, rounded down." }),
    to: Type.String({ format: "date-time", description: "Where the last value ends." }),
    step_seconds: Type.Integer({
      description: "The time of each value: `step`, or more if the oldest of them are not stored so finely any more.",
    }),
    series: Type.Array(Series, { description: "Empty GPUs are left out: those of which the guest reported nothing." }),
    faults: Type.Array(GpuFaultView, {
      description: "Errors of GPUs that mean hardware and were reported since `from`, the last one first.",
    }),
  },
  { title: "InstanceMetrics" },
);

const MetricsQuery = Type.Object({
  from: Type.Optional(
    Type.String({ ...limit.timestamp, description: "ISO 8601 with time and offset. Default: an hour before `to`." }),
  ),
  to: Type.Optional(
    Type.String({ ...limit.timestamp, description: `Default, and at most: now. Within the last ${keptDays} days.` }),
  ),
  step: Type.Optional(
    Type.Integer({
      minimum: guestLines.everySeconds,
      maximum: mostStep,
      multipleOf: guestLines.everySeconds,
      description: `Seconds of each value. At most ${mostPoints} values are returned. Default: what a chart needs.`,
    }),
  ),
});

const example = view(
  { from: 1_772_366_400, to: 1_772_366_445, step: 15 },
  [
    { metric: "cpu_utilization", gpu: undefined, values: [12.5, null, 14] },
    { metric: "gpu_utilization", gpu: 0, values: [97, null, 98.5] },
  ],
  [{ gpu: 0, xid: 79, firstAt: new Date("2026-03-01T12:00:31.000Z"), lastAt: new Date("2026-03-01T12:00:31.000Z") }],
);

export function instanceMetricsRoutes(api: Api): void {
  api.get(
    "/instances/:id/metrics",
    {
      id: "getInstanceMetrics",
      tag: "Instances",
      summary: "Read the metrics of an instance",
      description:
        "What the agent in its guest reports, if its image has one (`metrics` of the instance). Everything is as the " +
        `guest says. Kept for ${keptDays} days at falling resolution: 15 seconds for an hour, a minute for a day, 15 ` +
        "minutes for 7 days, then an hour. Your own instances, or any account's with the operator scope.",
      scope: ["read", "operator"],
      params: field.IdParam,
      query: MetricsQuery,
      answer: field.one(InstanceMetrics),
      example: { answer: { data: example } },
      errors: ["unknown-object"],
    },
    async (call) => {
      const { db, params, query } = call;
      const instance = await instanceFor(call, params.id);
      const moment = (name: "from" | "to") => (query[name] === undefined ? undefined : parseMoment(name, query[name]));
      const window = windowOf({ from: moment("from"), to: moment("to"), step: query.step }, new Date());
      const series = await readSeries(db, instance.id, window);
      return { data: view(window, series, await gpuFaultsOf(db, instance.id, new Date(window.from * 1000))) };
    },
  );
}

function view(
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: number },
  series: readonly MetricSeries[],
  faults: readonly GpuFault[],
) {
  return {
    from: new Date(from * 1000).toISOString(),
    to: new Date(to * 1000).toISOString(),
    step_seconds: step,
    series: series.map(({ metric, gpu, values }) => ({
      metric,
      unit: guestMetrics[metric].unit,
      gpu: gpu ?? null,
      values: [...values],
    })),
    faults: faults.map(({ gpu, xid, firstAt, lastAt }) => ({
      gpu,
      xid,
      meaning: hardwareXids[xid].meaning,
      first_at: firstAt.toISOString(),
      last_at: lastAt.toISOString(),
    })),
  };
}
