// Where and how a run of a scenario is disturbed: at each point of the reconciler that it passes, in each mode.

import type { Failpoint } from "../../../src/reconciler/failpoints.ts";
import { nameOf, type Scenario } from "./scenarios.ts";

/**
 * `fails`: nothing happens, and an error. `fails afterwards`: it happens, and an error. `twice`: it happens twice.
 * `killed before`, `killed after`: the process is gone then; another takes over. `sleeps before`: the process is gone
 * for so long that another takes over, and then goes on as if nothing had been.
 */
export const modes = ["fails", "fails afterwards", "twice", "killed before", "killed after", "sleeps before"] as const;
export type Mode = (typeof modes)[number];

/** The `occurrence`-th time (from 1) that `point` is passed. */
export interface Disturbance {
  readonly point: Failpoint;
  readonly occurrence: number;
  readonly mode: Mode;
}

export interface Case {
  readonly scenario: Scenario;
  /** Undefined: an undisturbed run, which finds the points. */
  readonly disturbance: Disturbance | undefined;
}

/** How often the same point is tried: with a well engine, and with one that has its own trouble. */
const occurrences = { well: 3, troubled: 1 };

/** Each point that is passed, in each mode. */
export function casesOf(scenario: Scenario, passed: readonly Failpoint[]): Case[] {
  const most = scenario.trouble === undefined ? occurrences.well : occurrences.troubled;
  const counts = new Map<Failpoint, number>();
  return passed.flatMap((point) => {
    const occurrence = (counts.get(point) ?? 0) + 1;
    counts.set(point, occurrence);
    return occurrence > most ? [] : modes.map((mode) => ({ scenario, disturbance: { point, occurrence, mode } }));
  });
}

export function titleOf({ scenario, disturbance }: Case): string {
  if (disturbance === undefined) return nameOf(scenario);
  const { point, occurrence, mode } = disturbance;
  return `${nameOf(scenario)}: ${mode} ${point} (${occurrence})`;
}
