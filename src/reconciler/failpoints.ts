// The failpoints of the reconciler: every engine call and every write of worker.ts and reconcile.ts runs through a
// named one. In production they do nothing. test/crash/steps.test.ts makes each of them fail, happen twice, or end the
// process right before or after it.
//
// Invariant: nothing that a crash could interrupt is outside a failpoint; the test detects engine calls and writes that
// are.

import type { EngineObservation } from "../rental/instances/record-observation.ts";
import { observations } from "../rules/lifecycle.ts";
import type { Requeue } from "./lease-store.ts";

/**
 * `tell` is `start` for a guest whose secrets are pending; `prepare` decrypts values for the guest. `filter` applies
 * changed firewall rules at the engine, and `filtered` records that.
 */
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

/** An observation's failpoint is recording it, a requeue's is releasing the lease. */
export type Failpoint = (typeof others)[number] | EngineObservation | Requeue["as"];

const releases = { settled: true, wait: true, retry: true, now: true } as const satisfies Record<Requeue["as"], true>;

export const failpoints: readonly Failpoint[] = [
  ...others,
  // Object.keys returns strings; these are the keys of the table, without the one that no engine reports.
  ...(Object.keys(observations).filter((one) => one !== "hostLost") as EngineObservation[]),
  ...(Object.keys(releases) as Requeue["as"][]),
];

/** Runs `pass` at the failpoint, normally once and at once. */
export type FailpointRunner = <T>(point: Failpoint, pass: () => Promise<T>) => Promise<T>;

export const noFailpoints: FailpointRunner = (_point, pass) => pass();
