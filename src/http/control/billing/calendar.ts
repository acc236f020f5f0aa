// Control interface: days and months in queries, both in UTC and both ends included. Used for usage and statements.

import { Type } from "typebox";
import { type Month, monthOf } from "../../../rental/billing/statements.ts";
import { invalid } from "../../../rental/errors.ts";
import * as limit from "../../api/documented-limits.ts";

/** From the first time, before the second. */
export interface Time {
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

/** Properties for a query schema; `otherwise` describes the defaults. */
export const dayQuery = (otherwise: { readonly from: string; readonly to: string }) => ({
  from: Type.Optional(
    Type.String({
      ...limit.day,
      description: `The first day, in UTC. Default: ${otherwise.from}.`,
      examples: ["2026-03-01"],
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...limit.day,
      description: `The last day, in UTC. Default: ${otherwise.to}.`,
      examples: ["2026-03-31"],
    }),
  ),
});
export const monthQuery = (otherwise: { readonly from: string; readonly to: string }) => ({
  from: Type.Optional(
    Type.String({
      ...limit.month,
      description: `The first month, in UTC. Default: ${otherwise.from}.`,
      examples: ["2026-01"],
    }),
  ),
  to: Type.Optional(
    Type.String({
      ...limit.month,
      description: `The last month, in UTC. Default: ${otherwise.to}.`,
      examples: ["2026-03"],
    }),
  ),
});

interface Asked {
  readonly from?: string;
  readonly to?: string;
}

/** The days of a query; a missing end is open. Throws RentalError invalid-parameters. */
export function daysOf({ from, to }: Asked): Time {
  const time = {
    from: from === undefined ? undefined : parseDay("from", from),
    to: to === undefined ? undefined : dayAfter(parseDay("to", to)),
  };
  return inOrder(time);
}

/** The months of a query; a missing end is open. Throws RentalError invalid-parameters. */
export function monthsOf({ from, to }: Asked): Time {
  return inOrder({
    from: from === undefined ? undefined : parseMonth("from", from).from,
    to: to === undefined ? undefined : parseMonth("to", to).to,
  });
}

/** Throws RentalError invalid-parameters for the field. */
export function parseMonth(field: string, text: string): Month {
  const month = monthOf(text);
  if (month === undefined) {
    throw invalid(field, "Must be a month from 1970 to 9999 in UTC, as YYYY-MM, such as 2026-03.");
  }
  return month;
}

/** The start of the month that is `count` months after that of `now`. */
export function monthFrom(now: Date, count: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + count));
}

function parseDay(field: string, text: string): Date {
  const month = monthOf(text.slice(0, 7));
  const day = Number(/^\d{4}-\d{2}-(\d{2})$/.exec(text)?.[1] ?? 0);
  const moment = new Date((month?.from.getTime() ?? 0) + (day - 1) * 86_400_000);
  if (month === undefined || day === 0 || moment >= month.to) {
    throw invalid(field, "Must be a day from 1970 to 9999 in UTC, as YYYY-MM-DD, such as 2026-03-01.");
  }
  return moment;
}

function dayAfter(day: Date): Date {
  return new Date(day.getTime() + 86_400_000);
}

function inOrder<T extends Time>(time: T): T {
  if (time.from !== undefined && time.to !== undefined && time.from >= time.to) {
    throw invalid("to", "Must not be before `from`.");
  }
  return time;
}
