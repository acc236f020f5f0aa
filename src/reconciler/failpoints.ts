// The failpoints of the reconciler: every engine call and every write of worker.ts and reconcile.ts runs through a
// named one. In production they do nothing. test/crash/steps.test.ts makes each of them fail, happen twice, or end the
// process right before or after it.
//
// Invariant: nothing that a crash could interrupt is outside a failpoint; the test detects engine calls and writes that
// are.

import { chargePoints, methodPoints, paymentPoints } from "../payments/points.ts";
import type { EngineObservation } from "../rental/instances/record-observation.ts";
import { evictorPoints } from "../rental/spot/evictor-points.ts";
import { placerPoints } from "../rental/waiting/placer-points.ts";
import { observations } from "../rules/lifecycle.ts";
import type { Requeue } from "./lease-store.ts";

/**
 * `tell` is `start` for a guest whose secrets are pending; `prepare` decrypts values for the guest. `filter` applies
 * changed firewall rules at the engine, and `filtered` records that. `move` copies a part of a machine to its new host,
 * `removeCopy` removes one of its two copies, and `moved` records what either came to.
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
  "move",
  "removeCopy",
  "moved",
] as const satisfies string[];

/** Of the resets of GPUs (gpu-resets.ts), which test/reconciler/gpu-resets.test.ts disturbs. */
export const resetFailpoints = ["resetGpus", "resetRecorded"] as const;
/** The renewal of their claim, which a quick reset never reaches. */
type ResetRenewal = "resetRenewed";

/** Of the validations of GPUs (gpu-validations.ts), which test/reconciler/gpu-validations.test.ts disturbs. */
export const validationFailpoints = [
  "validationClaimed",
  "validationCreate",
  "validationStart",
  "validationRead",
  "validationDecided",
  "validationRemove",
  "validationEnded",
] as const;

/** Of NVSwitch partitions (gpu-partitions.ts), which test/reconciler/gpu-partitions-random.test.ts disturbs. */
export const partitionFailpoints = [
  "partitionsClaimed",
  "partitionNext",
  "partitionsRead",
  "partitionsRecorded",
  "partitionActivate",
  "partitionDeactivate",
  "partitionDone",
] as const;

/** Of waiting launches (rental/waiting/placer.ts), at which test/crash/waiting-launches-killed.test.ts kills. */
export const placerFailpoints = placerPoints;

/** Of evictions (rental/spot/evictor.ts), at which test/crash/evictions-killed.test.ts kills. */
export const evictorFailpoints = evictorPoints;

/** Of what guests are told of them (guest-notices.ts), at which that test kills too. */
export const guestNoticeFailpoints = ["guestTold", "guestToldNoted"] as const;

/** Of emails (emails/emails.ts), which test/reconciler/emails.test.ts disturbs. */
export const emailFailpoints = ["emailClaimed", "emailSent", "emailSettled"] as const;

/** Of confirmations (confirmations.ts), which test/reconciler/confirmations.test.ts disturbs. */
export const confirmationFailpoints = ["identityClaimed", "identityRefreshed", "identitySettled"] as const;

/** Of payments and payment methods (payments/), which tests in test/reconciler disturb at each. */
export const paymentFailpoints = [...paymentPoints, ...methodPoints, ...chargePoints] as const;

/** An observation's failpoint is recording it, a requeue's is releasing the lease. */
export type ReconcileFailpoint = (typeof others)[number] | EngineObservation | Requeue["as"];

export type Failpoint =
  | ReconcileFailpoint
  | (typeof resetFailpoints)[number]
  | ResetRenewal
  | (typeof validationFailpoints)[number]
  | (typeof partitionFailpoints)[number]
  | (typeof placerFailpoints)[number]
  | (typeof evictorFailpoints)[number]
  | (typeof guestNoticeFailpoints)[number]
  | (typeof emailFailpoints)[number]
  | (typeof confirmationFailpoints)[number]
  | (typeof paymentFailpoints)[number];

const releases = { settled: true, wait: true, retry: true, now: true } as const satisfies Record<Requeue["as"], true>;

/** Those of reconciliations. */
export const failpoints: readonly ReconcileFailpoint[] = [
  ...others,
  // Object.keys returns strings; these are the keys of the table, without the one that no engine reports.
  ...(Object.keys(observations).filter((one) => one !== "hostLost") as EngineObservation[]),
  ...(Object.keys(releases) as Requeue["as"][]),
];

/** Runs `pass` at the failpoint, normally once and at once. */
export type FailpointRunner = <T>(point: Failpoint, pass: () => Promise<T>) => Promise<T>;

export const noFailpoints: FailpointRunner = (_point, pass) => pass();
