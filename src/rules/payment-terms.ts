// How accounts pay, and what follows when their money is used up. Used by rental/funds, launches, the settings, the control
// interface, the command line and the documents; rental/funds/terms.test.ts compares the database's checks with it.

export const paymentTermMeanings = {
  prepaid: "It pays before: what it launches needs money in its balance.",
  postpaid: "It pays afterwards, up to its credit line if it has one.",
} as const;
export type PaymentTerms = keyof typeof paymentTermMeanings;
export const paymentTerms = Object.keys(paymentTermMeanings) as PaymentTerms[]; // as declared

/** Of an account that states none. */
export const defaultTerms: PaymentTerms = "postpaid";

/** The largest credit line: a hundred million dollars, in cents. */
export const mostCreditLineCents = 10_000_000_000;

/** How an account pays. */
export interface Terms {
  readonly paymentTerms: PaymentTerms;
  /** How far below zero its balance may be, in cents; null: postpaid without a bound, and always of prepaid ones. */
  readonly creditLineCents: number | null;
}

/** The least balance that it may have, in cents; null: it has no bound. */
export function leastBalanceCents({ paymentTerms, creditLineCents }: Terms): number | null {
  if (paymentTerms === "prepaid") return 0;
  return creditLineCents === null ? null : 0 - creditLineCents;
}

/** What is wrong with these together; undefined: nothing. */
export function termsProblem({ paymentTerms, creditLineCents }: Terms): string | undefined {
  if (paymentTerms !== "prepaid" || creditLineCents === null) return undefined;
  return "A prepaid account has no credit line. Make it null, or make the account postpaid.";
}

/** What is done with running instances when the money is used up; all are terminated in the end. */
export const exhaustedPolicies = ["stop", "terminate"] as const;
export type ExhaustedPolicy = (typeof exhaustedPolicies)[number];

/** As the operator sets it (lessor.yaml `balance`). */
export interface BalanceSettings {
  /** A launch needs money for so many seconds, of itself and of everything that runs. */
  readonly launchSeconds: number;
  readonly whenExhausted: ExhaustedPolicy;
  /** From when the money is used up until that is done. */
  readonly graceSeconds: number;
  /** How long stopped instances are kept, with their disks; they are billed meanwhile. */
  readonly keepStoppedSeconds: number;
}

export const balanceSettings: BalanceSettings = {
  launchSeconds: 3600,
  whenExhausted: "stop",
  graceSeconds: 0,
  keepStoppedSeconds: 86_400,
};

/** An account is warned when its money lasts no longer than this, in seconds: the shortest first. */
export const warnedWithinSeconds = [3600, 86_400] as const;
