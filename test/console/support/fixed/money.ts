// What was used in the fixed world, and what it cost.

import type { Shape } from "../../../../src/client/client.ts";
import { accounts, tokens } from "./accounts.ts";
import { instances } from "./instances.ts";
import { ago, costOf, fixedNow, hour } from "./moments.ts";

const customers = accounts.filter(({ used }) => used.instances > 0);

/** From the first of the month to the fixed day: more at the end than at the beginning, less at weekends. */
export const usageDays: Shape<"UsageDay">[] = Array.from({ length: fixedNow.getUTCDate() }, (_, index) => {
  const day = `2026-03-${String(index + 1).padStart(2, "0")}`;
  const isWeekend = [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());
  return customers.map((account, number) => ({
    day,
    account_id: account.id,
    instance_id: null,
    reservation_id: null,
    instance_name: null,
    instance_type: null,
    token_id: null,
    instances: number + 1,
    downtime_seconds: 0,
    credit_micro_cents: "0",
    seconds: (index + 3) * hour * (number + 1),
    ...costOf(Math.round((4000 + 900 * index + 2500 * number) * (isWeekend ? 0.6 : 1))),
  }));
}).flat();

export const usageMonths: Shape<"UsageMonth">[] = ["2026-01", "2026-02", "2026-03"].flatMap((month, index) =>
  customers.map((account, number) => ({
    month,
    account_id: account.id,
    instance_id: null,
    reservation_id: null,
    instance_name: null,
    instance_type: null,
    token_id: null,
    instances: number + 1,
    downtime_seconds: 0,
    credit_micro_cents: "0",
    seconds: (index + 1) * 400 * hour,
    ...costOf(90_000 + 30_000 * index + 20_000 * number),
  })),
);

export const usageLines: Shape<"UsageLine">[] = instances
  .filter(({ active_at }) => active_at !== null)
  .map((one, index) => ({
    account_id: one.account_id,
    instance_id: one.id,
    reservation_id: null,
    quantity: 1,
    no_cost_reason: null,
    instance_name: one.name,
    instance_type: one.instance_type.name,
    region: one.region.name,
    started_at: one.active_at ?? "",
    ended_at: one.terminating_at,
    seconds: Math.round((fixedNow.getTime() - Date.parse(one.active_at ?? "")) / 1000),
    price_cents_per_hour: one.instance_type.price_cents_per_hour,
    discount_percent: one.coupon?.discount_percent ?? 0,
    coupon: one.coupon?.code ?? null,
    cost_micro_cents: one.cost_micro_cents,
    cost_cents: one.cost_cents,
    token_id: tokens[index % 2]?.id ?? null,
    downtime_seconds: one.downtime_seconds,
    credit_micro_cents: "0",
  }));

export const statements: Shape<"ListedStatement">[] = ["2026-03", "2026-02", "2026-01"].map((month, index) => ({
  account_id: customers[0]?.id ?? "",
  month,
  closed_at: index === 0 ? null : ago((18 + 28 * (index - 1)) * 24 * hour),
  instances: 9 - index,
  downtime_seconds: 0,
  credit_micro_cents: "0",
  seconds: 1_400_000 - 90_000 * index,
  ...costOf(118_240 - 20_000 * index),
}));

/** The sum of such lines. */
export function totalOf(lines: readonly { readonly cost_micro_cents: string }[]): Shape<"UsageTotal"> {
  const microCents = lines.reduce((sum, { cost_micro_cents }) => sum + BigInt(cost_micro_cents), 0n);
  return { ...costOf(Number(microCents / 1_000_000n)), credit_micro_cents: "0" };
}

/** The statement of a month; undefined: there is none. */
export function statementOf(month: string): Shape<"Statement"> | undefined {
  const listed = statements.find((one) => one.month === month);
  if (listed === undefined) return undefined;
  const lines = usageLines
    .slice(0, listed.instances)
    .map(({ started_at: _, ended_at: __, ...line }) => ({ ...line, month }));
  return { ...listed, lines };
}
