// How much of a monthly spend limit is spent. Pure.

import type { Shape } from "../../../src/client/client.ts";

/** The share from which it is near, as the event `account.spend_limit_near` says it. */
export const warnsFrom = 0.8;

type Limited = Pick<Shape<"Account">, "spend_limit_cents" | "spent_this_month_cents">;

/** 1: all of it. Undefined: there is no limit. */
export function spentShare({ spend_limit_cents: limit, spent_this_month_cents: spent }: Limited): number | undefined {
  if (limit === null || spent === null) return undefined;
  return limit === 0 ? 1 : Number(spent) / limit;
}
