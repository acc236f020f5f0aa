// Settings of the reconciler. Operators set some in config.ts; the rest have defaults that suit every engine, and can
// be set in tests.

import { capacityReadSeconds } from "../rules/capacity-notices.ts";
import type { DowntimeSettings } from "../rules/downtime.ts";
import type { EmailSettings } from "../rules/emails.ts";
import type { InvoiceSettings } from "../rules/invoices.ts";
import { type BalanceSettings, balanceSettings } from "../rules/payment-terms.ts";
import { type ReservationSettings, reservationSettings } from "../rules/reservations.ts";
import type { DeliverySettings } from "./deliveries/settings.ts";
import type { EmailTimes } from "./emails/emails.ts";

export interface ReconcilerSettings {
  /** Instances of each engine that one replica works on at once. */
  readonly concurrency: number;
  /** How long a silent worker keeps an instance. */
  readonly leaseSeconds: number;
  /** How long a boot can take, from the action, before it has failed. */
  readonly bootDeadlineSeconds: number;
  /** Timeout of one engine call. 120. */
  readonly engineCallSeconds?: number;
  /** Poll interval. 2. */
  readonly pollSeconds?: number;
  /** How often deleted file systems whose removal failed are tried again; a new one is removed at once. 10. */
  readonly removalSeconds?: number;
  /** Minimum and maximum between two checks of a machine in progress; grows with the age of the desired state. 1 to 10. */
  readonly lookSeconds?: readonly [least: number, most: number];
  /** Timeout of one call of a GPU helper; those of `gpus.helpers` are shorter. 930. */
  readonly resetSeconds?: number;
  /** How often a GPU helper that cannot be asked is asked to reset a GPU, before that is quarantined. 6. */
  readonly resetAttempts?: number;
  /** Minimum and maximum delay until it is asked again; doubles each time: minutes in all by default. 10 to 300. */
  readonly resetRetrySeconds?: readonly [least: number, most: number];
  /** Between two readings of the NVSwitch partitions of a host: a fabric manager that restarted is noticed by them. 60. */
  readonly partitionReadSeconds?: number;
  /** How often the machine of a validation is looked at. 2. */
  readonly validationLookSeconds?: number;
  /** Minimum and maximum delay until a validation without a verdict, or the removal of its machine, is repeated. 10 to 300. */
  readonly validationRetrySeconds?: readonly [least: number, most: number];
  /** How long a GPU waits for its validation, such as on an unreachable host, before it is quarantined. 86,400. */
  readonly validationWaitSeconds?: number;
  /** Between two validations of a burn-in. 10. */
  readonly burnInPauseSeconds?: number;
  /** Minimum and maximum delay of a retry; doubles with each failure. 0.5 to 60. */
  readonly retrySeconds?: readonly [least: number, most: number];
  /** How long a machine must be missing, in at least two checks, before it counts as lost. 2. */
  readonly vanishSeconds?: number;
  /** How long a machine must be halted without having been told to before it counts as halted: it might be rebooting. 5. */
  readonly rebootSeconds?: number;
  /** Interval of full resyncs and host syncs per engine: 15, plus 1.5 per thousand of its instances (resync-job.ts). */
  readonly sweepSeconds?: number;
  /** How long a machine with our ownership label and no instance is left alone. 300. */
  readonly orphanGraceSeconds?: number;
  /** If this many machines, and more than half of an engine's, are missing at once, nothing is concluded. 100. */
  readonly massLoss?: number;
  /** While hosts are unreachable; with the policy `none`, maintenance is billed too. Default: pause, 300. */
  readonly downtime?: DowntimeSettings;
  /** What reservations need of hosts, and what follows if they do not have it. */
  readonly reservations?: ReservationSettings;
  /** What follows when the money of an account is used up. */
  readonly balance?: BalanceSettings;
  /** Retention of the audit log. 400. */
  readonly auditDays?: number;
  /** Retention of events. 90. */
  readonly eventDays?: number;
  /** Retention of terminated instances. 30. */
  readonly terminatedReadableDays?: number;
  /** How often spend limits and lifetimes are checked, which limits by how much a bill can exceed its limit. 30. */
  readonly limitCheckSeconds?: number;
  /** How often what is free is read for capacity notices, while there are any. 5. */
  readonly capacityReadSeconds?: number;
  /** How often old rows are deleted and months are closed. 600. */
  readonly choreSeconds?: number;
  /** How long after its start a replica first looks for jobs that come once a minute or less (periodic.ts). 10. */
  readonly firstJobsSeconds?: number;
  /** How often attached file systems are measured. 300. */
  readonly measureSeconds?: number;
  /** Webhook deliveries; see deliveries/settings.ts for defaults. */
  readonly deliveries?: Partial<DeliverySettings>;
  /** How emails are sent. Default: email is not configured, and none are. */
  readonly email?: EmailSettings | undefined;
  /** What invoices state. Default: none are issued. */
  readonly invoices?: InvoiceSettings | undefined;
  /** When emails are sent; see emails/emails.ts for defaults. */
  readonly emailTimes?: Partial<EmailTimes>;
  /** Poll interval of payments, between two readings of what changed at their provider, and between two looks for automatic
   * top-ups. 5, 60 and 30. */
  readonly paymentSeconds?: readonly [poll: number, changes: number, automatic: number];
  /** Poll interval of people whose providers confirm their access. 30. */
  readonly confirmationSeconds?: number;
  /** How long `stop` waits for engine calls in progress before it aborts them. 5. */
  readonly drainSeconds?: number;
}

export type Settings = Required<ReconcilerSettings>;

export function withDefaults(settings: ReconcilerSettings): Settings {
  return {
    engineCallSeconds: 120,
    pollSeconds: 2,
    removalSeconds: 10,
    lookSeconds: [1, 10],
    resetSeconds: 930,
    resetAttempts: 6,
    resetRetrySeconds: [10, 300],
    partitionReadSeconds: 60,
    validationLookSeconds: 2,
    validationRetrySeconds: [10, 300],
    validationWaitSeconds: 86_400,
    burnInPauseSeconds: 10,
    retrySeconds: [0.5, 60],
    vanishSeconds: 2,
    rebootSeconds: 5,
    sweepSeconds: 15,
    orphanGraceSeconds: 300,
    massLoss: 100,
    downtime: { policy: "pause", toleranceSeconds: 300 },
    reservations: reservationSettings,
    balance: balanceSettings,
    auditDays: 400,
    eventDays: 90,
    terminatedReadableDays: 30,
    limitCheckSeconds: 30,
    capacityReadSeconds,
    choreSeconds: 600,
    firstJobsSeconds: 10,
    measureSeconds: 300,
    deliveries: {},
    email: undefined,
    emailTimes: {},
    invoices: undefined,
    paymentSeconds: [5, 60, 30],
    confirmationSeconds: 30,
    drainSeconds: 5,
    ...settings,
  };
}
