// Reads one line of a guest's agent. Used by the collector (reconciler/guest-metrics/).
//
// Invariant: everything in a line is untrusted. The result has only numbers in the ranges of the table, of at most as
// many GPUs as the instance has; what is not valid is missing. A line takes memory and time by its length, which is
// limited, and has no effect on anything but its instance. The guest's clock is not in it: the time of arrival counts.

import {
  type GuestMetric,
  gpuMetricNames,
  guestLines,
  instanceMetricNames,
  validValue,
} from "../../rules/guest-metrics.ts";
import { type HardwareXid, hardwareXidNumbered } from "../../rules/xids.ts";
import type { Point, Values } from "./point.ts";

/** An XID that means hardware. */
export interface ReportedXid {
  /** Counted from 0, in the order of the guest's driver. */
  readonly gpu: number;
  readonly xid: HardwareXid;
}

export interface Sample {
  /** Rises with each sample: a line with the number of the last one is no new sample. Undefined: not said. */
  readonly number: number | undefined;
  readonly point: Point;
  readonly xids: readonly ReportedXid[];
}

/** Why a line is no sample; a label of a metric, so the words are few. */
export type BadLine = "too-long" | "not-json" | "other-version" | "empty";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** `gpus`: how many the instance has. Never throws. */
export function readLine(line: Uint8Array, gpus: number): Sample | BadLine {
  if (line.byteLength > guestLines.mostBytes) return "too-long";
  let told: unknown;
  try {
    told = JSON.parse(utf8.decode(line));
  } catch {
    return "not-json";
  }
  if (own(told, "v") !== guestLines.version) return "other-version";
  const listed = own(told, "gpus");
  const point: Point = {
    samples: 1,
    instance: valuesOf(told, instanceMetricNames),
    gpus: (Array.isArray(listed) ? listed : [])
      .slice(0, Math.min(gpus, guestLines.mostGpus))
      .map((one) => valuesOf(one, gpuMetricNames)),
  };
  const xids = xidsOf(own(told, "xids"), gpus);
  const isEmpty = [point.instance, ...point.gpus].every((values) => values.every((value) => value === null));
  if (isEmpty && xids.length === 0) return "empty";
  const number = own(told, "n");
  return { number: typeof number === "number" && Number.isSafeInteger(number) ? number : undefined, point, xids };
}

function valuesOf(told: unknown, names: readonly GuestMetric[]): Values {
  return names.map((name) => validValue(name, own(told, name)));
}

/** `[{"gpu": 0, "xid": 79}]`; each once. */
function xidsOf(told: unknown, gpus: number): ReportedXid[] {
  if (!Array.isArray(told)) return [];
  const found = new Map<string, ReportedXid>();
  for (const one of told.slice(0, guestLines.mostXids)) {
    const [gpu, xid] = [own(one, "gpu"), hardwareXidNumbered(own(one, "xid"))];
    if (xid === undefined || typeof gpu !== "number" || !Number.isInteger(gpu) || gpu < 0 || gpu >= gpus) continue;
    found.set(`${gpu} ${xid}`, { gpu, xid });
  }
  return [...found.values()];
}

function own(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  // An own property of an object can be read by its name.
  return (value as Readonly<Record<string, unknown>>)[key];
}
