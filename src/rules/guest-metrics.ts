// What an agent inside a guest reports (src/rental/guest-metrics/): the metrics as one table, and the limits of what a
// guest may send. Validation, stored bytes, the control interface, charts, `lessor top`, the metrics for operators and
// the documents come from here; test/codebase/guest-metrics.test.ts finds what differs.
//
// Invariant: every value is at least 0, and `most / step` fits into three or four bytes. A change of a row, or of the
// order of the rows, changes what stored bytes mean: raise `layout` with it.

/** How several values become one where the resolution falls. `last`: of what hardly changes. */
export type Combination = "mean" | "max" | "last";

/** In words and symbols that fit after a number. */
export const guestUnits = {
  percent: { symbol: "%", meaning: "percent" },
  mebibytes: { symbol: "MiB", meaning: "MiB (2^20 bytes)" },
  celsius: { symbol: "°C", meaning: "degrees Celsius" },
  watts: { symbol: "W", meaning: "watts" },
  count: { symbol: "", meaning: "a count" },
} as const;
export type GuestUnit = keyof typeof guestUnits;

interface GuestMetricTraits {
  readonly of: "instance" | "gpu";
  readonly unit: GuestUnit;
  /** The highest valid value. */
  readonly most: number;
  /** The smallest difference that is stored. */
  readonly step: number;
  readonly combine: Combination;
  /** How the values of many GPUs become one, for operators. */
  readonly across?: "mean" | "max" | "sum";
  /** In charts and tables. */
  readonly title: string;
  /** The column of `lessor top`; undefined: none. */
  readonly column?: string;
  /** For documents: a sentence. */
  readonly meaning: string;
  /** The metric with the highest value that it can have now, such as the size of the memory of which it is a part. */
  readonly size?: string;
}

const MOST_OF_3_BYTES = 2 ** 24 - 2;
const MOST_OF_4_BYTES = 2 ** 32 - 2;

export const guestMetrics = {
  cpu_utilization: {
    of: "instance",
    unit: "percent",
    most: 100,
    step: 0.5,
    combine: "mean",
    title: "CPU",
    column: "CPU",
    meaning: "Time in which its CPUs were busy, of all of them together.",
  },
  memory_used: {
    of: "instance",
    unit: "mebibytes",
    most: MOST_OF_3_BYTES,
    step: 1,
    combine: "max",
    title: "Memory",
    column: "MEMORY",
    meaning: "Memory in use that cannot be reclaimed.",
    size: "memory_size",
  },
  memory_size: {
    of: "instance",
    unit: "mebibytes",
    most: MOST_OF_3_BYTES,
    step: 1,
    combine: "last",
    title: "Memory size",
    meaning: "The size of its memory.",
  },
  disk_used: {
    of: "instance",
    unit: "mebibytes",
    most: MOST_OF_4_BYTES,
    step: 1,
    combine: "max",
    title: "Disk",
    column: "DISK",
    meaning: "Space in use on its root file system.",
    size: "disk_size",
  },
  disk_size: {
    of: "instance",
    unit: "mebibytes",
    most: MOST_OF_4_BYTES,
    step: 1,
    combine: "last",
    title: "Disk size",
    meaning: "The size of its root file system.",
  },
  gpu_utilization: {
    of: "gpu",
    unit: "percent",
    most: 100,
    step: 0.5,
    combine: "mean",
    across: "mean",
    title: "GPU",
    column: "GPU",
    meaning: "Time in which the GPU was busy.",
  },
  gpu_memory_used: {
    of: "gpu",
    unit: "mebibytes",
    most: MOST_OF_3_BYTES,
    step: 1,
    combine: "max",
    across: "sum",
    title: "GPU memory",
    column: "GPU MEM",
    meaning: "Memory of the GPU in use.",
    size: "gpu_memory_size",
  },
  gpu_memory_size: {
    of: "gpu",
    unit: "mebibytes",
    most: MOST_OF_3_BYTES,
    step: 1,
    combine: "last",
    across: "sum",
    title: "GPU memory size",
    meaning: "The size of the memory of the GPU.",
  },
  gpu_temperature: {
    of: "gpu",
    unit: "celsius",
    most: 200,
    step: 1,
    combine: "max",
    across: "max",
    title: "GPU temperature",
    column: "TEMP",
    meaning: "The temperature of the GPU.",
  },
  gpu_power: {
    of: "gpu",
    unit: "watts",
    most: 10_000,
    step: 1,
    combine: "mean",
    across: "sum",
    title: "GPU power",
    column: "POWER",
    meaning: "What the GPU draws.",
  },
  gpu_ecc_errors: {
    of: "gpu",
    unit: "count",
    most: 65_534,
    step: 1,
    combine: "max",
    across: "sum",
    title: "ECC errors",
    column: "ECC",
    meaning: "Uncorrected memory errors since the driver started.",
  },
} as const satisfies Record<string, GuestMetricTraits>;
export type GuestMetric = keyof typeof guestMetrics;

/** What stored bytes begin with; another number is of another table. */
export const layout = 1;

// Object.keys returns strings; these are the keys of the table, in its order, which is also that of stored bytes.
export const guestMetricNames = Object.keys(guestMetrics) as readonly GuestMetric[];
export const instanceMetricNames = guestMetricNames.filter((name) => guestMetrics[name].of === "instance");
export const gpuMetricNames = guestMetricNames.filter((name): name is GpuMetric => guestMetrics[name].of === "gpu");

/** The traits of a row, with those that only some have. */
export function traitsOf(name: GuestMetric): GuestMetricTraits {
  return guestMetrics[name];
}

/**
 * What a guest may send: one line of JSON for each sample, in UTF-8. Longer lines, and more than one within
 * `everySeconds`, are discarded.
 */
export const guestLines = {
  /** The number `v` of every line. */
  version: 1,
  mostBytes: 8192,
  everySeconds: 15,
  mostGpus: 16,
  /** In one line. */
  mostXids: 32,
  /** An agent repeats an XID for so long, because a line can be lost. */
  repeatXidsSeconds: 600,
} as const;

/** The metrics of GPUs, whose sum or mean over many GPUs operators see. */
export type GpuMetric = { [M in GuestMetric]: (typeof guestMetrics)[M]["of"] extends "gpu" ? M : never }[GuestMetric];

/** The name in the metrics for operators: with the unit at its end, as Prometheus wants it. */
export type PrometheusName<M extends GuestMetric> = M extends GuestMetric
  ? (typeof guestMetrics)[M]["unit"] extends "count"
    ? `lessor_guest_${M}`
    : `lessor_guest_${M}_${(typeof guestMetrics)[M]["unit"]}`
  : never;

/** The values of several GPUs as one. Throws "BUG: …" if there are none. */
export function acrossGpus(name: GuestMetric, values: readonly number[]): number {
  if (values.length === 0) throw new Error("BUG: no values of GPUs");
  const { across } = traitsOf(name);
  // Not by spreading: there can be 100,000 of them.
  if (across === "max") return values.reduce((most, value) => Math.max(most, value));
  const sum = values.reduce((total, value) => total + value, 0);
  return across === "mean" ? sum / values.length : sum;
}

/** The value as it is stored; null if it is no valid one. */
export function validValue(name: GuestMetric, value: unknown): number | null {
  const { most, step } = guestMetrics[name];
  if (typeof value !== "number" || !(value >= 0 && value <= most)) return null;
  return Math.round(value / step) * step;
}
