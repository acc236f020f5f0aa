// What a machine has cost by now: what was read, and what its price adds by the second since. The next read is exact again.
// Pure; used by cost.tsx.

import type { Shape } from "../../../src/client/index.ts";
import { isBilled as isBilledIn, isLive } from "../../../src/rules/lifecycle.ts";
import { microCents } from "../shared/format-money.ts";

export type Billed = Pick<
  Shape<"Instance">,
  "status" | "active_at" | "terminating_at" | "cost_micro_cents" | "instance_type" | "coupon"
>;

/** Whether its removal was asked for: nothing more can be done with it. */
export const hasEnded = ({ status }: Pick<Billed, "status">): boolean => !isLive[status];

/** Whether its cost grows: from when it is first active, until its removal is asked for. Stopped time counts. */
export function isBilled({ status, active_at, terminating_at }: Billed): boolean {
  return terminating_at === null && isBilledIn(status, active_at !== null);
}

/** Micro-cents an hour, after the coupon. */
export function pricePerHour({ instance_type, coupon }: Pick<Billed, "instance_type" | "coupon">): bigint {
  const list = microCents(instance_type.price_cents_per_hour);
  return coupon === null ? list : (list * BigInt(Math.round((100 - coupon.discount_percent) * 100))) / 10_000n;
}

/** Micro-cents, for a machine that was read at `readAt`; both in milliseconds since 1970. */
export function costNow(machine: Billed, readAt: number, now: number): bigint {
  const read = BigInt(machine.cost_micro_cents);
  if (!isBilled(machine)) return read;
  const seconds = BigInt(Math.max(0, Math.floor((now - readAt) / 1000)));
  return read + (pricePerHour(machine) * seconds) / 3600n;
}
