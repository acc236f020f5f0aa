// Money in the control interface: exact, as text, because micro-cents exceed what a JSON number holds exactly.
// Used by the views of instances, usage, statements, accounts and tokens.

import { Type } from "typebox";
import type { Spending } from "../../../rental/billing/spent.ts";
import type { Subject } from "../../../rental/billing/subjects.ts";
import type { Total } from "../../../rental/billing/usage.ts";
import { microCentsPerCent } from "../../../rules/cost.ts";
import { noCostMeanings, noCostReasons } from "../../../rules/no-cost.ts";
import * as field from "../fields.ts";

/** The fields of a cost. */
export const cost = {
  cost_micro_cents: Type.String({ description: "Millionths of a cent, a whole number.", examples: ["1037500"] }),
  cost_cents: Type.String({ description: "The same in cents, with six fractional digits.", examples: ["1.037500"] }),
};

/** The fields of undelivered time, which follow those of a cost. */
export const undelivered = {
  downtime_seconds: Type.Integer({
    description:
      "Time that the host was unreachable, for longer than the tolerance: not in `seconds`, or with the policy `credit` in " +
      "both `seconds` and the credit.",
  }),
  credit_micro_cents: Type.String({ description: "What does not have to be paid of the cost.", examples: ["0"] }),
};

/** The values of those fields. */
export function undeliveredFields(of: { readonly downtimeSeconds: number; readonly creditMicroCents: bigint }) {
  return { downtime_seconds: of.downtimeSeconds, credit_micro_cents: String(of.creditMicroCents) };
}

/** Which instance or reservation a line is of, besides its name; last, because readers of the CSV may count its columns. */
export const ofReservation = {
  reservation_id: field.orNull(field.uuid(), "The reservation that the line is of; null: it is of an instance."),
  quantity: Type.Integer({ description: "How many the reservation is for; of an instance, 1." }),
  no_cost_reason: field.orNull(
    Type.Enum([...noCostReasons], {
      title: "NoCostReason",
      description: Object.entries(noCostMeanings)
        .map(([word, meaning]) => `\`${word}\`: ${meaning}`)
        .join(" "),
    }),
    "Why an instance costs nothing, whatever its price; null: it is billed.",
  ),
};

/** The values of `instance_id` and `instance_name`. */
export function subjectFields({ kind, id, name }: Subject) {
  return { instance_id: kind === "instance" ? id : null, instance_name: name };
}

/** The value of `reservation_id`. */
export function reservationOf(subject: Subject | null): string | null {
  return subject?.kind === "reservation" ? subject.id : null;
}

/** The sums of usage: to pay is the cost less the credit. */
export const UsageTotal = Type.Object(
  { ...cost, credit_micro_cents: undelivered.credit_micro_cents },
  { title: "UsageTotal" },
);

export function totalFields({ costMicroCents, creditMicroCents }: Total) {
  return { ...costFields(costMicroCents), credit_micro_cents: String(creditMicroCents) };
}

/** The sum of a list. */
export const Cost = Type.Object(cost, { title: "Cost" });

/** A coupon that was, or would be, applied to a launch. */
export const AppliedCoupon = Type.Object(
  { code: Type.String(), discount_percent: Type.Number() },
  { title: "AppliedCoupon" },
);

/** The values of those fields. */
export function costFields(microCents: bigint): { cost_micro_cents: string; cost_cents: string } {
  return { cost_micro_cents: String(microCents), cost_cents: centsText(microCents) };
}

/** The field beside a spend limit. */
export const spentField = {
  spent_this_month_cents: Type.Union([Type.String({ examples: ["31245.000000"] }), Type.Null()], {
    description:
      "Usage that counts toward the spend limit since the start of the month (UTC), with six fractional digits. Null where " +
      "there is no limit.",
  }),
};

/** The value of that field. */
export function spentFields({ spentMicroCents }: Spending): { spent_this_month_cents: string | null } {
  return { spent_this_month_cents: spentMicroCents === null ? null : centsText(spentMicroCents) };
}

/** Exact: with six fractional digits. Only balances and their changes are below zero. */
export function centsText(microCents: bigint): string {
  if (microCents < 0n) return `-${centsText(-microCents)}`;
  return `${microCents / microCentsPerCent}.${String(microCents % microCentsPerCent).padStart(6, "0")}`;
}

/** Per cent as a JSON number: 1000 basis points are 10, 1234 are 12.34. */
export function percent(basisPoints: number): number {
  return basisPoints / 100;
}
