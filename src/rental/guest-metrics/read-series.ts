// Reads the metrics of an instance over a time, at one resolution. Used by the control interface.
//
// Invariant: one statement reads all levels, so that what becomes coarser meanwhile is found once. The number of points
// is limited by the caller. A time without samples is null, never 0.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { type GuestMetric, gpuMetricNames, guestMetrics, instanceMetricNames } from "../../rules/guest-metrics.ts";
import { beginOf, type LevelNumber, levels, placeOf } from "./levels.ts";
import { unpacked } from "./packed.ts";
import { combined, type Point } from "./point.ts";

/** A time in whole seconds since 1970: from `from`, before `to`. Both are multiples of `step`. */
export interface Window {
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

export interface MetricSeries {
  readonly metric: GuestMetric;
  /** Undefined: of the instance. */
  readonly gpu: number | undefined;
  /** One for each step of the window; null: no sample. */
  readonly values: readonly (number | null)[];
}

interface Chunk {
  readonly level: LevelNumber;
  readonly chunk: number;
  readonly data: Buffer;
}

/** Level 0 is looked for in so many seconds before the end at most: more is there only if compaction failed. */
const mostRecent = 26 * 3600;

/** A series for each metric that the instance has, without those of GPUs that were never reported. */
export async function readSeries(db: Database, instanceId: string, window: Window): Promise<MetricSeries[]> {
  const points = await readPoints(db, instanceId, window);
  const gpus = Math.max(0, ...points.map((point) => point?.gpus.length ?? 0));
  const series = (metric: GuestMetric, at: number, gpu?: number): MetricSeries => ({
    metric,
    gpu,
    values: points.map((point) => {
      const value = (gpu === undefined ? point?.instance : point?.gpus[gpu])?.[at] ?? null;
      return value === null ? null : rounded(metric, value);
    }),
  });
  return [
    ...instanceMetricNames.map((metric, at) => series(metric, at)),
    ...Array.from({ length: gpus }, (_, gpu) => gpuMetricNames.map((metric, at) => series(metric, at, gpu))).flat(),
  ];
}

/** One point for each step of the window. */
async function readPoints(db: Database, id: string, { from, to, step }: Window): Promise<(Point | undefined)[]> {
  const found = new Map<number, Point[]>();
  const chunks = await readChunks(db, id, from, to);
  // A day is in the finer of the last two levels, and only when that has ended in the other.
  const fine = new Set(chunks.flatMap(({ level, chunk }) => (level === 2 ? [chunk] : [])));
  for (const { level, chunk, data } of chunks) {
    if (level === 3 && fine.has(chunk)) continue;
    for (const { place, point } of unpacked(data)) {
      const at = Math.floor((beginOf(level, chunk, place) - from) / step);
      const there = found.get(at);
      if (there === undefined) found.set(at, [point]);
      else there.push(point);
    }
  }
  return Array.from({ length: Math.ceil((to - from) / step) }, (_, at) => {
    const points = found.get(at);
    return points === undefined ? undefined : combined(points);
  });
}

/** In the order of their times. */
async function readChunks(db: Database, id: string, from: number, to: number): Promise<readonly Chunk[]> {
  const chunksOf = (level: LevelNumber, since = from) => {
    const [first, last] = [placeOf(level, since).chunk, placeOf(level, to - 1).chunk];
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  };
  const days = chunksOf(3);
  const { rows } = await sql<Chunk>`
    select 0 as level, minute as chunk, data from guest_metrics_recent
    where minute = any(${chunksOf(0, Math.max(from, to - mostRecent))}::integer[]) and instance_id = ${id}
    union all
    select level, chunk, data from guest_metrics
    where level = 1 and chunk = any(${chunksOf(1)}::integer[]) and instance_id = ${id}
    union all
    select level, chunk, data from guest_metrics
    where level = 2 and chunk = any(${days}::integer[]) and instance_id = ${id}
    union all
    select level, chunk, data from guest_metrics
    where level = 3 and chunk = any(${days}::integer[]) and instance_id = ${id}`.execute(db);
  return rows.toSorted((a, b) => beginOf(a.level, a.chunk, 0) - beginOf(b.level, b.chunk, 0) || a.level - b.level);
}

/** A mean has no more digits than a value. */
function rounded(metric: GuestMetric, value: number): number {
  const { step } = guestMetrics[metric];
  return Math.round(value / step) * step;
}

/** All steps of stored points, for what a client may ask for. */
export const storedSteps = levels.map(({ step }) => step);
