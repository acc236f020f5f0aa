// Why an instance of usage or of a statement costs nothing, besides a price of 0. Used by billing/, the control interface,
// the command line and the console.

export const noCostMeanings = {
  reservation: "A reservation of its account pays for it, with a line of its own.",
  preempted: "It was a spot instance that was evicted for another account within five minutes.",
} as const;

export type NoCostReason = keyof typeof noCostMeanings;

export const noCostReasons = Object.keys(noCostMeanings) as NoCostReason[]; // as declared

/** For people, beside the cost. */
export const noCostWords: Readonly<Record<NoCostReason, string>> = {
  reservation: "paid by reservation",
  preempted: "evicted early, free",
};

/** Null: it is billed. */
export function asNoCostReason(text: string | null): NoCostReason | null {
  if (text === null) return null;
  const known = noCostReasons.find((one) => one === text);
  if (known === undefined) throw new Error(`BUG: an instance costs nothing for the unknown reason ${text}`);
  return known;
}

/** Time that is billed: what a reservation pays for is in its own line. */
export function billedSeconds(
  lines: readonly { readonly seconds: number; readonly no_cost_reason: NoCostReason | null }[],
): number {
  return lines.reduce((sum, { seconds, no_cost_reason: why }) => (why === "reservation" ? sum : sum + seconds), 0);
}
