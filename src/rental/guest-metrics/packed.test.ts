import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import {
  type GuestMetric,
  gpuMetricNames,
  guestMetrics,
  instanceMetricNames,
  layout,
} from "../../rules/guest-metrics.ts";
import { type Placed, packed, pointBytes, unpacked } from "./packed.ts";
import { combined, mostSamples, type Point } from "./point.ts";

/** Values as they are stored. */
const valuesOf = (names: readonly GuestMetric[]) =>
  fc.tuple(
    ...names.map((name) => {
      const { most, step } = guestMetrics[name];
      return fc.option(fc.nat(Math.floor(most / step)).map((steps) => steps * step));
    }),
  );
const points: fc.Arbitrary<Point> = fc.record({
  samples: fc.integer({ min: 1, max: mostSamples }),
  instance: valuesOf(instanceMetricNames),
  gpus: fc.array(valuesOf(gpuMetricNames), { maxLength: 16 }),
});
const placed: fc.Arbitrary<Placed[]> = fc.uniqueArray(fc.record({ place: fc.nat(255), point: points }), {
  maxLength: 60,
  selector: ({ place }) => place,
});

describe("stored points", () => {
  it("are read as they were written, in the order of their places", () => {
    fc.assert(
      fc.property(placed, (some) => {
        expect(unpacked(packed(some))).toEqual(some.toSorted((a, b) => a.place - b.place));
      }),
    );
  });

  it("can be appended, and those at one place are one", () => {
    fc.assert(
      fc.property(placed, placed, (some, more) => {
        const both = unpacked(Buffer.concat([packed(some), packed(more)]));
        const expected = new Map(some.map(({ place, point }) => [place, point]));
        for (const { place, point } of more) {
          const before = expected.get(place);
          expected.set(place, before === undefined ? point : combined([before, point]));
        }
        expect(both).toEqual([...expected].sort(([a], [b]) => a - b).map(([place, point]) => ({ place, point })));
      }),
    );
  });

  it("take as many bytes as stated", () => {
    expect(packed([{ place: 0, point: { samples: 1, instance: [], gpus: [[], []] } }])).toHaveLength(pointBytes(2));
    // What the budget of docs/reference/guest-metrics.md follows from.
    expect([pointBytes(0), pointBytes(1) - pointBytes(0)]).toEqual([19, 12]);
  });

  it("of another layout, or cut off, are skipped", () => {
    const one = packed([{ place: 3, point: { samples: 2, instance: [50], gpus: [] } }]);
    const other = Buffer.from(one);
    other[0] = layout + 1;
    expect(unpacked(Buffer.concat([one, other, one]))).toEqual(unpacked(one));
    expect(unpacked(Buffer.concat([one, one.subarray(0, 9)]))).toEqual(unpacked(one));
    expect(unpacked(new Uint8Array())).toEqual([]);
  });

  it("are never more than a byte can place", () => {
    const point: Point = { samples: 1, instance: [], gpus: [] };
    expect(() => packed([{ place: 256, point }])).toThrow("BUG");
    expect(() => packed([{ place: 0, point: { ...point, gpus: Array.from({ length: 17 }, () => []) } }])).toThrow(
      "BUG",
    );
  });
});

describe("several points", () => {
  const at = (metric: GuestMetric, value: number | null, samples = 1): Point => ({
    samples,
    instance: instanceMetricNames.map((name) => (name === metric ? value : null)),
    gpus: [gpuMetricNames.map((name) => (name === metric ? value : null))],
  });
  const readOf = (metric: GuestMetric, { instance, gpus }: Point) =>
    instance[instanceMetricNames.indexOf(metric)] ??
    gpus[0]?.[(gpuMetricNames as readonly GuestMetric[]).indexOf(metric)];

  it.each<[GuestMetric, number, number | null]>([
    ["cpu_utilization", 30, null],
    ["gpu_utilization", 30, null],
    ["memory_used", 60, 60],
    ["gpu_temperature", 60, 60],
    ["memory_size", 20, 20],
  ])("of %s are one by its rule, by their samples", (metric, expected) => {
    expect(readOf(metric, combined([at(metric, 60), at(metric, null, 9), at(metric, 20, 3)]))).toBe(expected);
  });

  it("without a value have none, and keep the number of samples that a byte holds", () => {
    const one = combined([at("gpu_power", null, 200), at("gpu_power", null, 200)]);
    expect([readOf("gpu_power", one), one.samples]).toEqual([null, mostSamples]);
  });

  it("have a mean between the lowest and the highest, in whatever parts they are combined", () => {
    const some = fc.array(points, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(some, fc.nat(11), (all, cut) => {
        const [head, tail] = [all.slice(0, cut), all.slice(cut)];
        const parts = [head, tail].filter((part) => part.length > 0).map(combined);
        const [whole, inParts] = [combined(all), combined(parts)];
        for (const [index, name] of instanceMetricNames.entries()) {
          const values = all.flatMap(({ instance }) => instance[index] ?? []);
          const value = whole.instance[index] ?? null;
          expect(value === null).toBe(values.length === 0);
          if (value === null) continue;
          expect(value >= Math.min(...values) - 1e-6 && value <= Math.max(...values) + 1e-6).toBe(true);
          if (guestMetrics[name].combine !== "mean") expect(inParts.instance[index]).toBe(value);
        }
      }),
    );
  });
});
