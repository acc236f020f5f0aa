// The metrics of guests have one source (src/rules/guest-metrics.ts): what repeats them is compared with it.

import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { metricTable } from "../../src/metrics/table.ts";
import { pointBytes } from "../../src/rental/guest-metrics/packed.ts";
import {
  gpuMetricNames,
  guestMetricNames,
  guestMetrics,
  guestUnits,
  instanceMetricNames,
  layout,
  traitsOf,
} from "../../src/rules/guest-metrics.ts";
import { hardwareXidNumbers, hardwareXids } from "../../src/rules/xids.ts";

const read = (path: string) => readFileSync(resolve(import.meta.dirname, "../..", path), "utf8");
const agent = "src/images/agent.py";

describe("the table of metrics", () => {
  it("has every row whole", () => {
    for (const name of guestMetricNames) {
      const { meaning, title, size, of, across } = traitsOf(name);
      expect(meaning, name).toMatch(/^[A-Z].*\.$/);
      expect(title, name).toMatch(/^[A-Z]/);
      expect(name.startsWith("gpu_"), name).toBe(of === "gpu");
      expect(across !== undefined, name).toBe(of === "gpu");
      if (size !== undefined) expect(guestMetricNames, name).toContain(size);
    }
    expect([...instanceMetricNames, ...gpuMetricNames]).toEqual(guestMetricNames);
  });

  it("is what stored bytes mean; another table has another layout", () => {
    const shape = guestMetricNames.map((name) => `${name} ${guestMetrics[name].most} ${guestMetrics[name].step}`);
    expect({ layout, shape, bytes: [pointBytes(0), pointBytes(1)] }).toMatchInlineSnapshot(`
      {
        "bytes": [
          19,
          31,
        ],
        "layout": 1,
        "shape": [
          "cpu_utilization 100 0.5",
          "memory_used 16777214 1",
          "memory_size 16777214 1",
          "disk_used 4294967294 1",
          "disk_size 4294967294 1",
          "gpu_utilization 100 0.5",
          "gpu_memory_used 16777214 1",
          "gpu_memory_size 16777214 1",
          "gpu_temperature 200 1",
          "gpu_power 10000 1",
          "gpu_ecc_errors 65534 1",
        ],
      }
    `);
  });

  it("is what operators see of GPUs, and nothing else", () => {
    const expected = gpuMetricNames.map((name) => {
      const { unit } = guestMetrics[name];
      return `lessor_guest_${name}${unit === "count" ? "" : `_${unit}`}`;
    });
    expect(Object.keys(metricTable).filter((name) => name.startsWith("lessor_guest_gpu_"))).toEqual(expected);
  });

  it("has a column or is the size of one, for `lessor top`", () => {
    const sizes = guestMetricNames.map((name) => traitsOf(name).size);
    for (const name of guestMetricNames) {
      expect(sizes.includes(name), name).toBe(traitsOf(name).column === undefined);
    }
    expect(Object.keys(guestUnits).sort()).toEqual(
      [...new Set(guestMetricNames.map((n) => guestMetrics[n].unit))].sort(),
    );
  });

  it.skipIf(!existsSync(resolve(import.meta.dirname, "../..", agent)))("is what the agent sends", () => {
    const text = read(agent);
    for (const name of guestMetricNames) expect(text).toContain(`"${name}"`);
  });
});

describe("the table of XIDs", () => {
  it("has a meaning and the actions of the catalog for each", () => {
    for (const number of hardwareXidNumbers) {
      const { meaning, mnemonic, source } = hardwareXids[number];
      expect(meaning).toMatch(/^[A-Z].*\.$/);
      expect(mnemonic).toMatch(/^[A-Z0-9_]+$/);
      expect(source).toMatch(/^[A-Z0-9_]+/);
    }
  });
});
