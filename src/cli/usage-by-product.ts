// Sums up usage for each instance type, from the service's lines for each instance. Sums are in whole millionths of a
// cent, so they equal the service's own total. Used by commands/usage.ts.

import type { Shape } from "../client/client.ts";
import { microCentsPerCent } from "../rules/cost.ts";

export interface ProductUsage {
  readonly instance_type: string;
  /** Number of instances. */
  readonly instances: number;
  readonly seconds: number;
  readonly cost_micro_cents: string;
  readonly cost_cents: string;
}

/** Most expensive first. */
export function usageByProduct(lines: readonly Shape<"UsageLine">[]): ProductUsage[] {
  const sums = new Map<string, { instances: number; seconds: number; cost: bigint }>();
  for (const { instance_type, seconds, cost_micro_cents } of lines) {
    const sum = sums.get(instance_type) ?? { instances: 0, seconds: 0, cost: 0n };
    sums.set(instance_type, {
      instances: sum.instances + 1,
      seconds: sum.seconds + seconds,
      cost: sum.cost + BigInt(cost_micro_cents),
    });
  }
  return [...sums]
    .sort(([, one], [, other]) => (one.cost === other.cost ? 0 : one.cost < other.cost ? 1 : -1))
    .map(([instance_type, { instances, seconds, cost }]) => ({
      instance_type,
      instances,
      seconds,
      cost_micro_cents: String(cost),
      cost_cents: `${cost / microCentsPerCent}.${String(cost % microCentsPerCent).padStart(6, "0")}`,
    }));
}

export function productCsv(products: readonly ProductUsage[]): string {
  const titles = ["instance_type", "instances", "seconds", "cost_micro_cents", "cost_cents"] as const;
  const cell = (value: string | number) =>
    /[",\r\n]/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : value;
  const rows = products.map((one) => titles.map((title) => cell(one[title])).join(","));
  return [titles.join(","), ...rows].map((row) => `${row}\r\n`).join("");
}
