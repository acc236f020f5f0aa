// The order of a reservation, and the rules it must satisfy before hosts are looked for. Used by wanted.ts, and by replan.ts for the notice.

import { checkInstanceName } from "../../rules/names.ts";
import type { ReservationBounds } from "../../rules/reservations.ts";
import { evictAheadSeconds, spotDefaults } from "../../rules/spot.ts";
import { invalid } from "../errors.ts";
import { checkQuantity } from "../launching/order.ts";
import type { RentalLimits } from "../service.ts";

export interface ReservationOrder {
  /** Default: made from its instance type and its id. */
  readonly name: string | undefined;
  readonly instanceType: string;
  /** A region's name, or "any". */
  readonly region: string;
  readonly quantity: number;
  /** Undefined: now. */
  readonly from: Date | undefined;
  readonly to: Date;
}

/** A request that was on its way for so long is not late. */
const lateMs = 60_000;

/** Throws RentalError invalid-parameters, naming the field. */
export function checkReservationOrder({ name, quantity }: ReservationOrder, limits: RentalLimits): void {
  const unusable = name === undefined ? undefined : checkInstanceName(name);
  if (unusable !== undefined) throw invalid("name", unusable);
  const wrong = checkQuantity(quantity, limits);
  if (wrong !== undefined) throw invalid("quantity", wrong);
}

/** When it begins and ends. `now`: of the database. Throws RentalError invalid-parameters, naming the field. */
export function timesOf(
  { from, to }: Pick<ReservationOrder, "from" | "to">,
  { mostDaysAhead, longestDays, shortestMinutes }: ReservationBounds,
  now: Date,
): { readonly beginsAt: Date; readonly endsAt: Date } {
  if (from !== undefined && now.getTime() - from.getTime() > lateMs)
    throw invalid("from", "Must not be in the past. Omit it to begin now.");
  const beginsAt = from === undefined || from < now ? now : from;
  if (daysFrom(now, beginsAt) > mostDaysAhead) throw invalid("from", `Must be at most ${mostDaysAhead} days ahead.`);
  if (to <= beginsAt) throw invalid("to", "Must be after `from`.");
  if (daysFrom(beginsAt, to) * 1440 < shortestMinutes)
    throw invalid("to", `Must be at least ${shortestMinutes} minutes after \`from\`.`);
  if (daysFrom(beginsAt, to) > longestDays) throw invalid("to", `Must be at most ${longestDays} days after \`from\`.`);
  return { beginsAt, endsAt: to };
}

/** From an order until spot instances have surely ended that are to be evicted for it, in milliseconds. */
export function noticeMsOf({ spot = spotDefaults }: Pick<RentalLimits, "spot">): number {
  return (spot.noticeSeconds + evictAheadSeconds) * 1000;
}

function daysFrom(a: Date, b: Date): number {
  return (b.getTime() - a.getTime()) / 86_400_000;
}
