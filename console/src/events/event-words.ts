// Events as sentences. Pure; used by the events page and an instance's history.

import type { Shape } from "../../../src/client/client.ts";
import { hostStateNamed } from "../../../src/rules/host-lifecycle.ts";
import { initialState, isBooting, stateNamed, states } from "../../../src/rules/lifecycle.ts";
import type { WindowPhase } from "../../../src/rules/maintenance.ts";
import { stateWords } from "../instances/state-labels.ts";
import { moneyOf } from "../shared/format-money.ts";

export type LessorEvent = Pick<Shape<"Event">, "id" | "type" | "timestamp"> & { readonly data: object };

/** How an event is marked in lists. */
type Tone = "good" | "bad" | "warn" | "plain";

const sentences: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    states.map((state) => [`instance.${state}`, stateWords[state].event ?? stateWords[state].title]),
  ),
  "instance.failed": "Failed",
  "instance.unreachable": "Unreachable",
  "instance.reachable": "Reachable again",
  "instance.expiring": "Its lifetime ends soon",
  "instance.idle": "Its GPUs are not used",
  "instance.lifetime_changed": "Lifetime changed",
  "instance.gpu_fault": "GPU fault",
  "instance.renamed": "Renamed",
  "instance.tags_changed": "Tags changed",
  "instance.fault_reported": "GPU reported as faulty",
  "instance.preemption_notice": "Spot instance is being evicted",
  "instance.preemption_withdrawn": "Eviction withdrawn",
  "instance.preempted": "Spot instance evicted",
  "launch.waiting": "A launch waits until it can be placed",
  "launch.placed": "A waiting launch was placed",
  "launch.expired": "A waiting launch expired",
  "launch.cancelled": "A waiting launch was cancelled",
  "launch.refused": "A waiting launch was refused",
  "member.invited": "A person was invited",
  "member.joined": "A person joined the team",
  "member.changed": "The role of a person changed",
  "member.removed": "A person left the team",
  "payment_method.added": "A payment method was saved",
  "payment_method.removed": "A payment method was removed",
  "member.suspended": "The provider no longer confirms a person",
  "member.resumed": "A suspended person has access again",
  "auto_top_up.turned_off": "The balance is no longer topped up",
  "payment.received": "A payment was recorded",
  "payment.failed": "A payment failed",
  "payment.refunded": "A refund was recorded",
  "payment.refund_failed": "A refund failed",
  "payment.disputed": "A payment was disputed",
  "payment.dispute_won": "A dispute was won",
  "account.hold_changed": "The hold on the account changed",
  "balance.adjusted": "The balance was adjusted",
  "balance.low": "The balance is used up soon",
  "balance.exhausted": "The balance is used up",
  "budget.reached": "A budget alert was reached",
  "invoice.issued": "An invoice was issued",
  "capacity.available": "Capacity available",
  "reservation.scheduled": "Capacity reserved",
  "reservation.active": "A reservation began",
  "reservation.ending": "A reservation ends soon",
  "reservation.ended": "A reservation ended",
  "reservation.cancelled": "A reservation was cancelled",
  "reservation.unfulfilled": "A reservation could not begin",
  "reservation.at_risk": "Hosts cannot keep a reservation",
  "maintenance.scheduled": "Maintenance scheduled",
  "maintenance.started": "Maintenance started",
  "maintenance.ended": "Maintenance ended",
  "host.health_changed": "Host health changed",
  "gpu.quarantined": "GPU quarantined",
  "gpu.released": "GPU released",
  "account.spend_limit_near": "The account is near its spend limit",
  "account.spend_limit_reached": "The account's spend limit is reached",
  "token.spend_limit_near": "A token is near its spend limit",
  "token.spend_limit_reached": "A token's spend limit is reached",
};

const bad = [
  "instance.failed",
  "instance.gpu_fault",
  "account.spend_limit_reached",
  "balance.exhausted",
  "token.spend_limit_reached",
  "webhook.disabled",
  "gpu.quarantined",
  "launch.refused",
  "reservation.unfulfilled",
  "reservation.at_risk",
];
const warn = [
  "balance.low",
  "launch.expired",
  "reservation.ending",
  "maintenance.scheduled",
  "maintenance.started",
  "instance.unreachable",
  "instance.expiring",
  "instance.fault_reported",
  "instance.idle",
  "instance.preemption_notice",
  "instance.preempted",
  "account.spend_limit_near",
  "token.spend_limit_near",
];
const good = [
  "instance.active",
  "instance.reachable",
  "instance.preemption_withdrawn",
  "launch.placed",
  "capacity.available",
  "reservation.active",
];

/** The title: "Active", "Boot progress: waiting for an address", "SSH key created". */
export function eventTitle({ type, data }: LessorEvent): string {
  if (type === "maintenance.ended" && textIn(data, "phase") === ("canceled" satisfies WindowPhase))
    return "Maintenance canceled";
  const progress = textIn(data, "progress");
  if (type === "instance.progress" && progress !== undefined) {
    const state = stateNamed(textIn(data, "state") ?? initialState);
    return `${state !== undefined && isBooting[state] ? "Boot progress" : "Progress"}: ${small(progress)}`;
  }
  const hostState = hostStateNamed(textIn(data, "state") ?? "");
  if (type === "host.state_changed" && hostState !== undefined) return `Host ${hostState}`;
  const known = sentences[type];
  if (known !== undefined) return known;
  const [subject = "", word = ""] = type.split(".");
  return capital(`${subject} ${word}`.replaceAll("_", " ").replace("ssh key", "SSH key"));
}

/** Details: a reason, and whether the provider acted; a limit. */
export function eventDetail({ data }: LessorEvent): string | undefined {
  const limit = numberIn(data, "spend_limit_cents");
  const reason = textIn(data, "reason");
  const operator = textIn(data, "operator");
  if (reason !== undefined && operator !== undefined) return `${reason}, by ${operator}`;
  if (reason !== undefined && textIn(data, "by") === "operator") return `by the provider: ${reason}`;
  return (
    textIn(data, "message") ??
    textIn(data, "meaning") ??
    reason ??
    (limit === undefined ? undefined : `Limit: ${moneyOf(limit)} a month`)
  );
}

/**
 * The name or id of its object; of a GPU: its host and address; of capacity: its instance type and region; of a
 * reservation: its name.
 */
export function eventSubject({ data }: LessorEvent): string {
  const host = [textIn(data, "host"), textIn(data, "address")].filter((part) => part !== undefined).join(" ");
  return (
    textIn(data, "name") ??
    textIn(data, "url") ??
    textIn(data, "instance_id") ??
    capacityIn(data) ??
    reservedIn(data) ??
    host
  );
}

function reservedIn(data: object): string | undefined {
  const reservation = valueIn(data, "reservation");
  return typeof reservation === "object" && reservation !== null ? textIn(reservation, "name") : undefined;
}

/** "gpu_1x_h100 in us-east-1" of an event of capacity. */
export function capacityIn(data: object): string | undefined {
  const capacity = valueIn(data, "capacity");
  if (typeof capacity !== "object" || capacity === null) return undefined;
  return `${textIn(capacity, "instance_type")} in ${textIn(capacity, "region")}`;
}

/** The instance it is about. */
export const eventInstance = ({ data }: LessorEvent): string | undefined => textIn(data, "instance_id");

export function eventTone(type: string): Tone {
  if (bad.includes(type)) return "bad";
  if (warn.includes(type)) return "warn";
  return good.includes(type) ? "good" : "plain";
}

function valueIn(data: object, field: string): unknown {
  return (data as Readonly<Record<string, unknown>>)[field];
}

function textIn(data: object, field: string): string | undefined {
  const value = valueIn(data, field);
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(data: object, field: string): number | undefined {
  const value = valueIn(data, field);
  return typeof value === "number" ? value : undefined;
}

/** Within a sentence; an abbreviation stays as it is. */
function small(text: string): string {
  return /^\p{Lu}\p{Ll}/u.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
