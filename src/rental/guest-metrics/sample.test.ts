import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { gpuMetricNames, guestLines, guestMetrics, instanceMetricNames } from "../../rules/guest-metrics.ts";
import { hardwareXidNumbered } from "../../rules/xids.ts";
import { readLine, type Sample } from "./sample.ts";

const line = (told: unknown) => Buffer.from(JSON.stringify(told));

function sampleOf(told: unknown, gpus = 2): Sample {
  const read = readLine(line(told), gpus);
  if (typeof read === "string") throw new Error(`refused as ${read}`);
  return read;
}

describe("a line of an agent", () => {
  it("is a sample, with null for what is not in it", () => {
    const { number, point, xids } = sampleOf({ v: 1, n: 7, cpu_utilization: 12.5, gpus: [{ gpu_power: 301.2 }] });
    expect(number).toBe(7);
    expect(point.samples).toBe(1);
    expect(point.instance).toEqual(instanceMetricNames.map((name) => (name === "cpu_utilization" ? 12.5 : null)));
    expect(point.gpus).toEqual([gpuMetricNames.map((name) => (name === "gpu_power" ? 301 : null))]);
    expect(xids).toEqual([]);
  });

  it.each([
    [{ v: 2, cpu_utilization: 1 }, "other-version"],
    [{ cpu_utilization: 1 }, "other-version"],
    [{ v: 1 }, "empty"],
    [{ v: 1, gpus: "none", cpu_utilization: "much" }, "empty"],
    [[], "other-version"],
    [null, "other-version"],
    [{ v: 1, cpu_utilization: 1, more: "x".repeat(guestLines.mostBytes) }, "too-long"],
  ])("%j is none: %s", (told, why) => {
    expect(readLine(line(told), 2)).toBe(why);
  });

  it("of bytes that are no text is none", () => {
    expect(readLine(Uint8Array.of(0xff, 0xfe, 0), 2)).toBe("not-json");
    expect(readLine(Buffer.from('{"v":1,"cpu_utilization":'), 2)).toBe("not-json");
    expect(readLine(Buffer.from("[".repeat(guestLines.mostBytes)), 2)).toBe("not-json");
  });

  it.each([-1, 100.5, 1e308, "50", null, true, [50], { of: 50 }])("with a utilization of %j has none", (value) => {
    expect(sampleOf({ v: 1, memory_used: 5, cpu_utilization: value }).point.instance[0]).toBeNull();
  });

  it("is of no more GPUs than the instance has", () => {
    const gpus = Array.from({ length: 40 }, () => ({ gpu_utilization: 1 }));
    expect(sampleOf({ v: 1, gpus }, 2).point.gpus).toHaveLength(2);
    expect(sampleOf({ v: 1, gpus }, 100).point.gpus).toHaveLength(guestLines.mostGpus);
    expect(sampleOf({ v: 1, cpu_utilization: 1, gpus }, 0).point.gpus).toEqual([]);
  });

  it("has each XID of its GPUs that means hardware once, also without a value", () => {
    const xids = [{ gpu: 0, xid: 79 }, { gpu: 0, xid: 79 }, { gpu: 1, xid: 13 }, { gpu: 2, xid: 79 }, { xid: 48 }, 79];
    expect(sampleOf({ v: 1, xids }).xids).toEqual([{ gpu: 0, xid: 79 }]);
  });

  it("cannot say what an object inherits", () => {
    expect(readLine(Buffer.from('{"__proto__":{"v":1,"cpu_utilization":5}}'), 1)).toBe("other-version");
    const told = '{"v":1,"memory_used":1,"gpus":[{"__proto__":{"gpu_power":5}}]}';
    const read = readLine(Buffer.from(told), 1);
    expect(typeof read === "string" ? read : read.point.gpus).toEqual([gpuMetricNames.map(() => null)]);
  });

  it("of anything at all is a sample within the ranges, or none", () => {
    const names = [...instanceMetricNames, "gpus", "xids", "n"];
    const anything = fc.oneof(
      fc.uint8Array({ maxLength: 9000 }).map((bytes) => Buffer.from(bytes)),
      fc.json().map((text) => Buffer.from(text)),
      fc
        .dictionary(fc.constantFrom(...names), fc.oneof(fc.jsonValue(), fc.double()))
        .map((told) => line({ ...told, v: 1 })),
    );
    fc.assert(
      fc.property(anything, fc.nat(20), (bytes, gpus) => {
        const read = readLine(bytes, gpus);
        if (typeof read === "string") return;
        const { point, xids } = read;
        expect(point.gpus.length).toBeLessThanOrEqual(Math.min(gpus, guestLines.mostGpus));
        const check = (values: readonly (number | null)[], metrics: readonly (keyof typeof guestMetrics)[]) => {
          expect(values).toHaveLength(metrics.length);
          for (const [at, name] of metrics.entries()) {
            const value = values[at] ?? 0;
            expect(value >= 0 && value <= guestMetrics[name].most).toBe(true);
          }
        };
        check(point.instance, instanceMetricNames);
        for (const gpu of point.gpus) check(gpu, gpuMetricNames);
        for (const { gpu, xid } of xids) expect(gpu < gpus && hardwareXidNumbered(xid) === xid).toBe(true);
      }),
    );
  });
});
