// Money as the control interface shows it: exact, as text, because micro-cents outgrow what a JSON number holds exactly.
// Used by instance-view.ts and usage.ts.

import { Type } from "typebox";

const microCentsPerCent = 1_000_000n;

/** The fields that say what something costs. */
export const cost = {
  cost_micro_cents: Type.String({ description: "Millionths of a cent, a whole number.", examples: ["1037500"] }),
  cost_cents: Type.String({ description: "The same in cents, with six fractional digits.", examples: ["1.037500"] }),
};

/** The values of those fields. A cost is never negative. */
export function costFields(microCents: bigint): { cost_micro_cents: string; cost_cents: string } {
  const fraction = String(microCents % microCentsPerCent).padStart(6, "0");
  return { cost_micro_cents: String(microCents), cost_cents: `${microCents / microCentsPerCent}.${fraction}` };
}

/** Per cent as a JSON number: 1000 basis points are 10, 1234 are 12.34. */
export function percent(basisPoints: number): number {
  return basisPoints / 100;
}
