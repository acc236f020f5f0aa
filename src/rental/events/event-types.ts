// All event types: subject and what happened. Single source for what can be recorded (record.ts), valid filters
// (type-globs.ts) and the table of docs/reference/api/events.md. `webhook.test` is not among them: it is sent only on
// request (webhooks/delivery.ts), regardless of subscribed types.

import { states } from "../../rules/lifecycle.ts";
import { reservationStates } from "../../rules/reservations.ts";
import { waitingLaunchStates } from "../../rules/waiting-launches.ts";

/** By subject. Each state that an instance enters is an event. */
export const eventWords = {
  instance: [
    ...states,
    "failed",
    "unreachable",
    "reachable",
    "progress",
    "expiring",
    "idle",
    "lifetime_changed",
    "renamed",
    "tags_changed",
    "host_lost",
    "moved",
    "fault_reported",
    "gpu_fault",
    "preemption_notice",
    "preemption_withdrawn",
    "preempted",
  ],
  account: [
    "firewall_changed",
    "hold_changed",
    "lifetime_changed",
    "spend_limit_changed",
    "spend_limit_near",
    "spend_limit_reached",
  ],
  /** By bank transfer, as an operator recorded it, or through a provider. */
  payment: ["received", "failed", "refunded", "refund_failed", "disputed", "dispute_won"],
  payment_method: ["added", "removed"],
  auto_top_up: ["turned_off"],
  /** `adjusted`: by an operator. The others: of accounts that pay before or up to a credit line. */
  balance: ["adjusted", "low", "exhausted"],
  /** A budget alert. */
  budget: ["reached"],
  invoice: ["issued"],
  token: ["created", "revoked", "spend_limit_changed", "spend_limit_near", "spend_limit_reached"],
  /** People of the team. */
  member: ["invited", "joined", "changed", "removed", "suspended", "resumed"],
  launch: waitingLaunchStates,
  /** For each account with a capacity notice that matches. */
  capacity: ["available"],
  /** `at_risk`: for operators, of no account. */
  reservation: [...reservationStates, "ending", "at_risk"],
  ssh_key: ["created", "deleted"],
  file_system: ["created", "deleted", "lost"],
  firewall_ruleset: ["created", "changed", "deleted"],
  webhook: ["created", "changed", "secret_rotated", "disabled", "deleted"],
  /** For each account with instances on the host, and for operators, of no account, with the host. */
  maintenance: ["scheduled", "started", "ended"],
  /** For operators: of no account. */
  host: ["state_changed", "health_changed"],
  /** For operators: of no account. */
  gpu: ["quarantined", "released"],
} as const;

export type EventSubject = keyof typeof eventWords;
export type EventWord<S extends EventSubject> = (typeof eventWords)[S][number];
export type EventType = { [S in EventSubject]: `${S}.${EventWord<S>}` }[EventSubject];

/** The subjects of events. */
export const eventSubjects: readonly string[] = Object.keys(eventWords);

/** Subjects that belong to no account. */
const ofOperators: readonly string[] = ["host", "gpu"] satisfies EventSubject[];

/** The subjects that belong to accounts, whose events accounts read and webhooks get. */
export const accountEventSubjects: readonly string[] = eventSubjects.filter(
  (subject) => !ofOperators.includes(subject),
);

/** All of them, such as "instance.active". */
export const eventTypes: readonly string[] = Object.entries(eventWords).flatMap(([subject, words]) =>
  words.map((word) => `${subject}.${word}`),
);
