// How an engine is said to be.

import { describe, expect, it } from "vitest";
import type { Shape } from "../../../../src/client/client.ts";
import { healthOf } from "./engines-page.tsx";

const engine = (more: Partial<Shape<"Engine">> = {}): Shape<"Engine"> => ({
  name: "north",
  kind: "incus",
  hosts: 12,
  hosts_available: 12,
  hosts_cordoned: 0,
  instances: 73,
  instances_unreachable: 0,
  last_sweep_at: "2026-03-01T18:30:00.000Z",
  last_sweep_error: null,
  last_good_sweep_at: "2026-03-01T18:30:00.000Z",
  ...more,
});

describe("an engine", () => {
  it("is healthy where it answers and all of its hosts are available", () => {
    expect(healthOf(engine())).toMatchObject({ word: "Healthy", problem: "" });
  });

  it("that failed to answer tells what it said", () => {
    const failing = engine({ last_sweep_error: "connect ECONNREFUSED", hosts_available: 0 });
    expect(healthOf(failing)).toMatchObject({ word: "Unreachable", problem: "connect ECONNREFUSED" });
  });

  it("counts the hosts that are unavailable", () => {
    expect(healthOf(engine({ hosts_available: 10 }))).toMatchObject({
      color: "amber",
      problem: "2 hosts are unavailable.",
    });
    expect(healthOf(engine({ hosts_available: 11 })).problem).toBe("One host is unavailable.");
  });

  it("that nobody set up, and that has hosts, is the worst of all", () => {
    const orders = [engine(), engine({ last_sweep_at: null }), engine({ hosts_available: 0 })].map(
      (one) => healthOf(one).order,
    );
    expect(healthOf(engine({ kind: null })).order).toBeGreaterThan(Math.max(...orders));
  });
});
