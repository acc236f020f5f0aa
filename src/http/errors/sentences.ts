// Sentences of the error table that depend on the details. They repeat client input only quoted and cut short.

import type { FieldProblems, RentalErrorDetails } from "../../rental/errors.ts";
import { quoted } from "../../rental/quoted.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { fewerAtOnce } from "../../rules/fewer-at-once.ts";
import type { HttpErrorDetails, LimitName } from "./api-error.ts";

/** Why a coupon cannot be used. */
export const couponSentence = {
  expired: (code: string) => `The coupon ${quoted(code)} is expired.`,
  "switched-off": (code: string) => `The coupon ${quoted(code)} is not active.`,
  "not-for-product": (code: string, product?: string) =>
    `The coupon ${quoted(code)} is not for ${product ?? "this product"}.`,
};

/** Why a token is rejected. */
export const tokenSentence = {
  missing: "No API token was sent.",
  malformed: "The Authorization header is not of the form Bearer <API_TOKEN>.",
  unknown: "The API token is not valid.",
  expired: "The API token has expired.",
  revoked: "The API token has been revoked.",
  suspended: "The provider of this token's person has not confirmed the person's access.",
  "session-over": "This console session has ended.",
};

/** The suggestion for a rejected token. */
export function tokenSuggestion({ reason, at }: { reason: keyof typeof tokenSentence; at?: "sign-in" }): string {
  if (reason === "session-over") return "Sign in again.";
  if (reason === "suspended")
    return "Sign in again: in the console, with that provider. The token is then valid again.";
  if (at === "sign-in") return "Check that you pasted the complete token, or sign in with another one.";
  return "Send the header Authorization: Bearer <API_TOKEN> with a valid token of your account.";
}

/** Whose limit was reached. */
export const limitSentence: Record<LimitName, string> = {
  token: "This token has sent too many requests.",
  address: "This address has sent too many requests.",
  "failed-authentications": "Too many requests without a valid token came from this address.",
  "sign-in-links": "Too many sign-in links were requested.",
  "sign-ins": "Too many sign-ins were begun, or codes tried.",
};

const fewer = (seconds: number) => `Retry after ${seconds} seconds and reduce your request rate.`;
export const limitSuggestion: Record<LimitName, (seconds: number) => string> = {
  token: fewer,
  address: fewer,
  "failed-authentications": (seconds) => `Correct the token and retry after ${seconds} seconds.`,
  "sign-in-links": (seconds) => `Use the last link, or retry after ${seconds} seconds.`,
  "sign-ins": (seconds) => `Retry after ${seconds} seconds.`,
};

/** Why a file system cannot be used in the launch's region. */
export function wrongRegionSentence({ name, region }: { name: string; region: string }): string {
  return `File system ${name} is in region ${region}.`;
}

/** What there is not enough capacity for. */
export function capacitySentence({
  move,
  quantity,
  instanceType,
  region,
  isByLabels,
  reserved,
  reservation,
}: RentalErrorDetails["insufficient-capacity"]): string {
  if (reservation !== undefined) {
    const first = reservation.isWaitedFor === true ? ", because launches that wait come first" : "";
    return `There is not surely enough capacity for ${quantity} of ${instanceType}${where(region)} from ${reservation.from} to ${reservation.to}${first}.`;
  }
  if (reserved !== undefined) return `The capacity of the reservation ${reserved} is not all there at the moment.`;
  if (move === undefined) {
    const hosts = isByLabels === true ? " on hosts with these labels" : "";
    return `There is not enough capacity to launch ${quantity} of ${instanceType}${where(region)}${hosts}.`;
  }
  const place = move.host === undefined ? `No other host${where(region)}` : `Host ${move.host}`;
  return `${place} ${move.host === undefined ? "has" : "does not have"} enough free capacity for ${instanceType}; nothing was moved.`;
}

/**
 * Where a launch that found no capacity fits: only regions that fit all of it; if there are none, how many instances
 * fit where. A file system may limit it to one host; customers do not see hosts, so none is named.
 */
export function capacitySuggestion({
  bound,
  move,
  quantity,
  regionsWithCapacity,
  reserved,
  reservation,
}: RentalErrorDetails["insufficient-capacity"]): string {
  if (reservation !== undefined) return reservationSuggestion(reservation.fitsFrom, quantity, regionsWithCapacity);
  if (reserved !== undefined)
    return "GPUs of an instance that ended are reset first, and hosts that failed are replaced. Retry in some minutes.";
  if (move !== undefined) {
    return move.host === undefined
      ? "Free capacity on other hosts of the region, or add a host."
      : "Choose another host, or omit `host`.";
  }
  if (bound !== undefined) {
    return `File system ${bound.fileSystem} is on a single host, and that host is full. Retry later or remove the file system.`;
  }
  const whole = regionsWithCapacity.filter(({ fits }) => fits >= quantity);
  if (whole.length > 0) return `These regions have capacity: ${whole.map(({ region }) => region).join(", ")}.`;
  if (regionsWithCapacity.length === 0) {
    return "No region has capacity. Retry later or choose another instance type.";
  }
  return fewerAtOnce(quantity, regionsWithCapacity);
}

/** When all of a reservation would fit, or how many do; as far as that is known. */
function reservationSuggestion(
  fitsFrom: string | undefined,
  quantity: number,
  regionsWithCapacity: RentalErrorDetails["insufficient-capacity"]["regionsWithCapacity"],
): string {
  if (fitsFrom !== undefined) return `It would fit for as long from ${fitsFrom} on.`;
  if (regionsWithCapacity.length > 0)
    return `${fewerAtOnce(quantity, regionsWithCapacity, "Reserve")} Or choose another time.`;
  return "Choose another time, another region or another instance type.";
}

/** The wording that clients match. Source: decisions, Launch. */
export const unsupportedImageSentence = "Product does not support the VM Image";

/** Which quota would be exceeded, by how much. */
export function quotaSentence(e: { what: string; limit: number; used: number; requested: number }): string {
  return `The quota of ${e.limit} ${words(e.what)} would be exceeded: ${e.used} in use, ${e.requested} more requested.`;
}

/** The suggestion for a quota. Not every one is the account's, or can be raised. */
export function quotaSuggestion(what: string): string {
  return ofBound[what] ?? `Free some ${words(what)}, or ask your provider to raise the quota.`;
}

/** Limits that are not quotas of the account, and their suggestions. */
const ofBound: Readonly<Record<string, string>> = {
  event_streams: "Close an open stream or use GET /events instead.",
  terminals: "Close an open terminal.",
  firewall_rulesets: "Delete a ruleset or change an existing one.",
  tests_and_resends_under_way: "Wait until some of them are delivered or have failed.",
  gpu_fault_reports: "Report it tomorrow, or contact your provider.",
  budget_alerts: "Delete a budget alert.",
  capacity_notices: "Delete a capacity notice, or create one for every instance type or region.",
  invitations: "Revoke an open invitation, or wait until some are accepted.",
  reservations: "Cancel a reservation that has not begun, or wait until one has ended.",
  webhooks: "Delete a webhook, change an existing one, or ask your provider to raise the quota.",
};

/** The sentence for one invalid field, or for several. */
export function fieldsSentence(fields: FieldProblems): string | undefined {
  const [first, ...others] = Object.entries(fields);
  if (first === undefined) return undefined;
  const [name, problem] = first;
  if (others.length > 0) return `Some fields are not valid: ${[name, ...others.map(([other]) => other)].join(", ")}.`;
  return `${name}: ${problem.message}`;
}

/** The suggestion for invalid fields, by their names. */
export function correctSentence(fields: FieldProblems): string {
  const names = Object.keys(fields);
  const most = 5;
  if (names.length === 0) return "Correct the request and send it again.";
  const more = names.length > most ? ` and ${names.length - most} more fields` : "";
  return `Correct ${names.slice(0, most).join(", ")}${more} and send the request again.`;
}

/** The first few of these, quoted. */
export function quotedFew(texts: readonly string[]): string {
  const most = 10;
  const first = texts.slice(0, most).map(quoted).join(", ");
  return texts.length > most ? `${first} … and ${texts.length - most} more` : first;
}

/** " in north", for a launch that asked for one region. */
export function where(region: string): string {
  return region === "any" ? "" : ` in ${region}`;
}

/** A name such as ssh_keys, in prose. */
export function words(name: string): string {
  return name.replaceAll("_", " ").replace(/\bgpu(?=s?\b)/g, "GPU");
}

/** Which spend limit a launch exceeds. */
export function spendLimitSentence({
  of,
  limitCents,
  launch,
  month,
}: RentalErrorDetails["spend-limit-exceeded"]): string {
  if (launch === undefined) {
    return `${of === "account" ? "Your account" : "This token"} has reached its spend limit of ${limitCents} cents for this month.`;
  }
  const needed = (launch.needsMicroCents + microCentsPerCent - 1n) / microCentsPerCent;
  const left = launch.leftMicroCents / microCentsPerCent;
  const whose = of === "account" ? "account" : "token";
  if (month !== undefined)
    return `This reservation costs ${needed} cents in ${month}. Of the spend limit of your ${whose} (${limitCents} cents a month), ${left} cents are neither used nor reserved then.`;
  return (
    `This launch costs up to ${needed} cents before the next limit check. Of the spend limit of your ` +
    `${whose} (${limitCents} cents for this month), ${left} cents are neither used nor reserved.`
  );
}

/** The suggestion for it. */
export function spendLimitSuggestion({ of, launch, month }: RentalErrorDetails["spend-limit-exceeded"]): string {
  const higher = of === "account" ? "ask your provider to raise the limit" : "use a token with a higher limit or none";
  if (month !== undefined) return `Reserve less, or ${higher}.`;
  if (launch !== undefined) return `Launch fewer or smaller instances, or ${higher}.`;
  return `${higher.charAt(0).toUpperCase()}${higher.slice(1)}, or wait for the next month (UTC).`;
}

/** What a launch or a reservation needs of the balance. */
export function balanceSentence({
  needsMicroCents,
  leftMicroCents,
  seconds,
  isHeld,
}: RentalErrorDetails["insufficient-balance"]): string {
  if (isHeld === true) return "Your account is on hold, because a payment was disputed at your bank.";
  const needed = (needsMicroCents + microCentsPerCent - 1n) / microCentsPerCent;
  const left = (leftMicroCents > 0n ? leftMicroCents : 0n) / microCentsPerCent;
  const what =
    seconds === undefined
      ? `This reservation costs ${needed} cents`
      : `This launch needs ${needed} cents (${forTime(seconds)})`;
  return `${what}. Of the balance of your account, ${left} cents are left beside what runs and what is reserved.`;
}

/** The suggestion for it. */
export function balanceSuggestion({ seconds, isHeld }: RentalErrorDetails["insufficient-balance"]): string {
  if (isHeld === true) return "Ask your provider to lift the hold. What runs stays.";
  const less = seconds === undefined ? "reserve less" : "launch fewer or smaller instances";
  return `Add money to the balance, or ${less}.`;
}

function forTime(seconds: number): string {
  if (seconds % 3600 !== 0) return `${seconds} seconds`;
  return seconds === 3600 ? "an hour" : `${seconds / 3600} hours`;
}

/** Why the service is unavailable. */
export function unavailableSentence({ overloaded, why }: HttpErrorDetails["unavailable"]): string {
  if (overloaded === true) return "The service is overloaded.";
  if (why === "the database is out of space") return "The service is out of storage space and cannot create anything.";
  return "The service is temporarily unavailable.";
}

/** The suggestion for it. */
export function unavailableSuggestion({ overloaded, why }: HttpErrorDetails["unavailable"]): string {
  if (overloaded === true) return "Retry with exponential backoff, starting at 1 second.";
  if (why === "the database is out of space") return "Retry later. You can still stop and terminate instances.";
  return "Retry in a few seconds.";
}
