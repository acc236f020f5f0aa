// What the fleet map says about a GPU and a host.

import { describe, expect, it } from "vitest";
import type { Shape } from "../../../../src/client/client.ts";
import { cellState, cellsInWords, countCells, countsInWords } from "./cells.ts";

const gpu = (more: Partial<Shape<"Gpu">> = {}): Shape<"Gpu"> => ({
  address: "0000:17:00.0",
  model: "h100_pcie",
  memory_gib: 80,
  numa_node: 0,
  healthy: true,
  state: "free",
  reason: null,
  back_at: null,
  last_validation: null,
  held_by: null,
  holder_status: null,
  ...more,
});
const heldBy = (status: "booting" | "active" | "stopped") =>
  gpu({ state: "held", held_by: "0198", holder_status: status });

const host = (more: Partial<Shape<"Host">> = {}): Shape<"Host"> => ({
  name: "north-1",
  engine: "simulated",
  region: "north",
  vcpus: 8,
  memory_gib: 64,
  storage_gb: 100,
  gpus: [],
  free_vcpus: 8,
  free_memory_gib: 64,
  free_storage_gb: 100,
  state: "up",
  state_reason: null,
  state_since: "2026-03-01T12:00:00.000Z",
  mode: "up",
  drain_mode: null,
  mode_set_by: null,
  cordoned: false,
  available: true,
  unreachable_since: null,
  verified_off_since: null,
  health: [],
  availability_percent: 100,
  instances: 0,
  note: "",
  labels: {},
  overridden: null,
  ...more,
});

describe("a cell", () => {
  it("tells GPUs that are reset or quarantined, also of hosts that accept no instances", () => {
    for (const state of ["sanitizing", "validating", "quarantined"] as const) {
      expect(cellState(host(), gpu({ state }))).toBe(state);
      expect(cellState(host({ state: "cordoned" }), gpu({ state }))).toBe(state);
      expect(cellState(host(), gpu({ state, healthy: false }))).toBe("unhealthy");
    }
  });

  it("is free if no instance has the GPU and its host is schedulable", () => {
    expect(cellState(host(), gpu())).toBe("free");
  });

  it("tells a booting instance from an active or stopped one", () => {
    expect(cellState(host(), heldBy("booting"))).toBe("booting");
    expect(cellState(host(), heldBy("active"))).toBe("held");
    expect(cellState(host(), heldBy("stopped"))).toBe("held");
  });

  it("is closed where its host is cordoned or away, unless somebody has the GPU", () => {
    expect(cellState(host({ state: "cordoned" }), gpu())).toBe("closed");
    expect(cellState(host({ state: "unreachable" }), gpu())).toBe("closed");
    expect(cellState(host({ state: "cordoned" }), heldBy("active"))).toBe("held");
  });

  it("is unhealthy before anything else", () => {
    expect(cellState(host({ state: "cordoned" }), gpu({ healthy: false, held_by: "0198" }))).toBe("unhealthy");
  });
});

describe("the numbers of hosts", () => {
  const some = [
    host({ gpus: [gpu(), heldBy("active")] }),
    host({ state: "cordoned", gpus: [gpu(), gpu({ healthy: false })] }),
  ];

  it("count each GPU once", () => {
    expect(countCells(some)).toEqual({
      ...{ free: 1, held: 1, booting: 0, closed: 1, sanitizing: 0, validating: 0, quarantined: 0, unhealthy: 1 },
    });
  });

  it("are said without those that are none", () => {
    expect(countsInWords(countCells(some))).toBe("1 free, 1 rented, 1 cordoned or unreachable, 1 unhealthy");
  });
});

describe("the cells of a host in words", () => {
  it("say what they show", () => {
    expect(cellsInWords(host({ gpus: [heldBy("booting"), gpu()] }))).toBe("1 free, 1 booting");
    expect(cellsInWords(host())).toBe("no GPUs");
  });

  it("say where the host is unreachable", () => {
    expect(cellsInWords(host({ state: "unreachable", available: false, gpus: [gpu()] }))).toBe(
      "unreachable, 1 cordoned or unreachable",
    );
  });
});
