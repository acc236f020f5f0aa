// Sums up usage for each instance type, from the service's lines for each instance. Sums are in whole millionths of a
// cent, so they equal the service's own total. Used by commands/usage.ts.

import type { Shape } from "../client/client.ts";
import { microCentsPerCent } from "../rules/cost.ts";
import { billedSeconds } from "../rules/no-cost.ts";

export interface ProductUsage {
  readonly instance_type: string;
  /** Number of instances. */
  readonly instances: number;
  /** Number of reservations. */
  readonly reservations: number;
  /** Billed: what a reservation pays for is in its own line. */
  readonly seconds: number;
  readonly cost_micro_cents: string;
  readonly cost_cents: string;
}

/** Most expensive first. */
export function usageByProduct(lines: readonly Shape<"UsageLine">[]): ProductUsage[] {
  return [...Map.groupBy(lines, ({ instance_type: type }) => type)]
    .map(([type, of]) => {
      const micro = of.reduce((sum, { cost_micro_cents: cost }) => sum + BigInt(cost), 0n);
      const reservations = of.filter(({ reservation_id: id }) => id !== null).length;
      return { type, micro, reservations, instances: of.length - reservations, seconds: billedSeconds(of) };
    })
    .sort((one, other) => (one.micro === other.micro ? 0 : one.micro < other.micro ? 1 : -1))
    .map(({ type, micro, instances, reservations, seconds }) => ({
      instance_type: type,
      instances,
      seconds,
      cost_micro_cents: String(micro),
      cost_cents: `${micro / microCentsPerCent}.${String(micro % microCentsPerCent).padStart(6, "0")}`,
      reservations,
    }));
}

export function productCsv(products: readonly ProductUsage[]): string {
  const titles = ["instance_type", "instances", "seconds", "cost_micro_cents", "cost_cents", "reservations"] as const;
  const cell = (value: string | number) =>
    /[",\r\n]/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : value;
  const rows = products.map((one) => titles.map((title) => cell(one[title])).join(","));
  return [titles.join(","), ...rows].map((row) => `${row}\r\n`).join("");
}
