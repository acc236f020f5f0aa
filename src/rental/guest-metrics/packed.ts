// Points as bytes, as they are stored: a number of each metric in as few bytes as its range needs. A chunk is points one
// after the other, each with its place in the chunk, so that another can be appended without reading the rest.
//
// Invariant: what was written is read again, rounded to the steps of the table; and bytes of another layout, which
// another version wrote, are skipped with what follows them.

import {
  type GuestMetric,
  gpuMetricNames,
  guestLines,
  guestMetrics,
  instanceMetricNames,
  layout,
} from "../../rules/guest-metrics.ts";
import { combined, type Point, type Values } from "./point.ts";

/** A point and its place in its chunk, from 0 to 255. */
export interface Placed {
  readonly place: number;
  readonly point: Point;
}

interface Field {
  readonly step: number;
  readonly bytes: number;
  /** All bits set: unknown. */
  readonly unknown: number;
}

const instanceFields = instanceMetricNames.map(fieldOf);
const gpuFields = gpuMetricNames.map(fieldOf);
const instanceBytes = bytesOf(instanceFields);
const gpuBytes = bytesOf(gpuFields);
/** Layout, place, samples, GPUs. */
const headBytes = 4;

/** The size of a point with so many GPUs. */
export function pointBytes(gpus: number): number {
  return headBytes + instanceBytes + gpus * gpuBytes;
}

/** Throws "BUG: …" for a place or a number of GPUs that does not fit. */
export function packed(points: readonly Placed[]): Buffer {
  const bytes = Buffer.allocUnsafe(points.reduce((sum, { point }) => sum + pointBytes(point.gpus.length), 0));
  let at = 0;
  for (const { place, point } of points) {
    const { samples, instance, gpus } = point;
    if (!(place >= 0 && place <= 255) || gpus.length > guestLines.mostGpus) {
      throw new Error(`BUG: a point at ${place} with ${gpus.length} GPUs`);
    }
    bytes.set([layout, place, samples, gpus.length], at);
    at = write(bytes, at + headBytes, instance, instanceFields);
    for (const gpu of gpus) at = write(bytes, at, gpu, gpuFields);
  }
  return bytes;
}

/** The points in the order of their places; several at one place are one. */
export function unpacked(bytes: Uint8Array): Placed[] {
  const found = new Map<number, Point[]>();
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + headBytes <= view.length; ) {
    const [version, place = 0, samples = 1, gpus = 0] = view.subarray(at, at + headBytes);
    const end = at + pointBytes(gpus);
    if (version !== layout || end > view.length) break;
    const point: Point = {
      samples: Math.max(samples, 1),
      instance: read(view, at + headBytes, instanceFields),
      gpus: Array.from({ length: gpus }, (_, gpu) =>
        read(view, at + headBytes + instanceBytes + gpu * gpuBytes, gpuFields),
      ),
    };
    const there = found.get(place);
    if (there === undefined) found.set(place, [point]);
    else there.push(point);
    at = end;
  }
  return [...found].sort(([a], [b]) => a - b).map(([place, points]) => ({ place, point: combined(points) }));
}

function fieldOf(name: GuestMetric): Field {
  const { most, step } = guestMetrics[name];
  const bytes = Math.ceil(Math.log2(most / step + 2) / 8);
  return { step, bytes, unknown: 2 ** (8 * bytes) - 1 };
}

function bytesOf(fields: readonly Field[]): number {
  return fields.reduce((sum, { bytes }) => sum + bytes, 0);
}

function write(to: Buffer, from: number, values: Values, fields: readonly Field[]): number {
  let at = from;
  for (const [index, { step, bytes, unknown }] of fields.entries()) {
    const value = values[index] ?? null;
    at = to.writeUIntBE(value === null ? unknown : Math.min(Math.round(value / step), unknown - 1), at, bytes);
  }
  return at;
}

function read(from: Buffer, start: number, fields: readonly Field[]): Values {
  let at = start;
  return fields.map(({ step, bytes, unknown }) => {
    const value = from.readUIntBE(at, bytes);
    at += bytes;
    return value === unknown ? null : value * step;
  });
}
