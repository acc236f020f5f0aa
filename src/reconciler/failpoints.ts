// The points at which a worker changes something or asks the engine, by name: every engine call and every write of
// worker.ts and reconcile.ts goes through the gate of its point. In production a gate is open. test/crash/steps.test.ts
// stands at each of them to let it fail, happen twice, or end the process right before or after it.
//
// Invariant: nothing that a crash could cut off lies outside a point; the test sees engine calls and writes that do.

import { type Observation, observations } from "../rules/lifecycle.ts";
import type { Requeue } from "./lease-store.ts";

/** `tell` is `start` once more, for a guest that waits for its secrets; `prepare` opens what is sealed for the guest. `filter`
 * tells the engine of rules that were changed, and `filtered` writes down that it was told. */
const others = [
  "claim",
  "renew",
  "wake",
  "prepare",
  "inspect",
  "create",
  "start",
  "tell",
  "filter",
  "filtered",
  "stop",
  "remove",
] as const satisfies string[];

/** A fact's point is its being recorded, a release's the laying down of the job. */
export type Failpoint = (typeof others)[number] | Observation | Requeue["as"];

const releases = { settled: true, wait: true, retry: true, now: true } as const satisfies Record<Requeue["as"], true>;

/** All of them. */
export const failpoints: readonly Failpoint[] = [
  ...others,
  ...(Object.keys(observations) as Observation[]),
  ...(Object.keys(releases) as Requeue["as"][]),
];

/** Goes through `point` by calling `pass`, ordinarily once and at once. */
export type FailpointRunner = <T>(point: Failpoint, pass: () => Promise<T>) => Promise<T>;

export const noFailpoints: FailpointRunner = (_point, pass) => pass();
