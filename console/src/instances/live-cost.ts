// The present cost of an instance: what was read, plus its price per second since. The next read is exact again. Pure.

import type { Shape } from "../../../src/client/client.ts";
import { costMicroCents, type Price, secondsPerHour } from "../../../src/rules/cost.ts";
import { healths, isBilled as isBilledIn, isLive, isReady } from "../../../src/rules/lifecycle.ts";
import { modeTraits, phaseTraits } from "../../../src/rules/maintenance.ts";

export type Billed = Pick<
  Shape<"Instance">,
  "status" | "health" | "active_at" | "terminating_at" | "cost_micro_cents" | "instance_type" | "coupon" | "maintenance"
>;

/** Whether its termination was requested: no action is allowed any more. */
export const hasEnded = ({ status }: Pick<Billed, "status">): boolean => !isLive[status];

/** Whether it is billed: from when it is first active until its termination is requested. Stopped time counts. */
export function isBilled({ status, active_at, terminating_at }: Billed): boolean {
  return terminating_at === null && isBilledIn(status, active_at !== null);
}

/** Micro-cents an hour, after the coupon. */
export function pricePerHour(instance: Pick<Billed, "instance_type" | "coupon">): bigint {
  const known = pricesPerHour.get(instance);
  if (known !== undefined) return known;
  const price = costMicroCents({ ...priceIn(instance), seconds: Number(secondsPerHour) });
  pricesPerHour.set(instance, price);
  return price;
}

/** Lists add up thousands of them each time that one instance changes. */
const pricesPerHour = new WeakMap<object, bigint>();

/** A percentage has at most two digits after the point, so it is a whole number of basis points. */
function priceIn({ instance_type, coupon }: Pick<Billed, "instance_type" | "coupon">): Price {
  return {
    priceCentsPerHour: instance_type.price_cents_per_hour,
    discountBasisPoints: Math.round((coupon?.discount_percent ?? 0) * 100),
  };
}

/**
 * Micro-cents, for an instance that was read at `readAt`; both in milliseconds since 1970. While its host is unreachable
 * or maintenance keeps it stopped, it stays at what was read, since that time is perhaps not billed.
 */
export function costNow(instance: Billed, readAt: number, now: number): bigint {
  const read = BigInt(instance.cost_micro_cents);
  if (!isBilled(instance) || instance.health !== healths[0] || isKeptStopped(instance)) return read;
  const seconds = Math.max(0, Math.floor((now - readAt) / 1000));
  return read + costMicroCents({ ...priceIn(instance), seconds });
}

function isKeptStopped({ status, maintenance }: Billed): boolean {
  if (maintenance === null || isReady[status]) return false;
  return phaseTraits[maintenance.phase].isInForce && modeTraits[maintenance.mode].stopsInstances;
}
