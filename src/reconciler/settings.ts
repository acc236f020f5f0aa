// How the reconciler is set. What an operator may choose comes from config.ts; the rest has values that fit every engine so
// far and is open to tests.

import type { DeliverySettings } from "./deliveries/index.ts";

export interface ReconcilerSettings {
  /** How many instances of each engine one server works on at once. */
  readonly concurrency: number;
  /** How long a worker that fell silent keeps an instance. */
  readonly leaseSeconds: number;
  /** How long a boot may take, from the wish, before it has failed. */
  readonly bootDeadlineSeconds: number;
  /** How long one engine call may take before it counts as unanswered. 120. */
  readonly engineCallSeconds?: number;
  /** How often is looked for due work that no hint told of. 2. */
  readonly pollSeconds?: number;
  /** Least and most between two looks at a machine that is on its way; grows with the age of the wish. 1 to 10. */
  readonly lookSeconds?: readonly [least: number, most: number];
  /** Least and most between two tries after a failure; doubles with each. 0.5 to 60. */
  readonly retrySeconds?: readonly [least: number, most: number];
  /** How long a machine must be missing before it counts as lost, in two looks at least. 2. */
  readonly vanishSeconds?: number;
  /** How long a machine must be halted that nobody told to, before that is believed: it may be rebooting. 5. */
  readonly rebootSeconds?: number;
  /**
   * How often each engine's whole list is compared with the database, and its hosts are read: 15, and one and a half more
   * for each thousand of its instances (resync-job.ts).
   */
  readonly sweepSeconds?: number;
  /** How long a machine with our mark and without an instance is left alone. 300. */
  readonly orphanGraceSeconds?: number;
  /** When this many machines and more than half of an engine's are missing at once, nothing is concluded. 100. */
  readonly massLoss?: number;
  /** How long the audit log is kept. 400. */
  readonly auditDays?: number;
  /** How long events are kept. 90. */
  readonly eventDays?: number;
  /** How long terminated instances are kept. 30. */
  readonly terminatedReadableDays?: number;
  /** How often spend limits and lifetimes are looked at: how far a bill may pass its limit. 30. */
  readonly limitCheckSeconds?: number;
  /** How often what is old is deleted, and months are closed. 600. */
  readonly choreSeconds?: number;
  /** How often attached file systems are measured. 300. */
  readonly measureSeconds?: number;
  /** How webhooks are delivered to; what is absent is as by default (deliveries/settings.ts). */
  readonly deliveries?: Partial<DeliverySettings>;
  /** How long `stop` waits for engine calls under way before it gives them up. 5. */
  readonly drainSeconds?: number;
}

export type Settings = Required<ReconcilerSettings>;

export function withDefaults(settings: ReconcilerSettings): Settings {
  return {
    engineCallSeconds: 120,
    pollSeconds: 2,
    lookSeconds: [1, 10],
    retrySeconds: [0.5, 60],
    vanishSeconds: 2,
    rebootSeconds: 5,
    sweepSeconds: 15,
    orphanGraceSeconds: 300,
    massLoss: 100,
    auditDays: 400,
    eventDays: 90,
    terminatedReadableDays: 30,
    limitCheckSeconds: 30,
    choreSeconds: 600,
    measureSeconds: 300,
    deliveries: {},
    drainSeconds: 5,
    ...settings,
  };
}
