// Usage grouped by instance type, region or token. Pure; sums are exact, in BigInt micro-cents.

import type { Shape } from "../../../src/client/client.ts";
import { billedSeconds } from "../../../src/rules/no-cost.ts";

export interface Group {
  /** The key that its lines share. */
  readonly key: string;
  readonly name: string;
  /** Billed: what a reservation pays for is in its own line. */
  readonly seconds: number;
  readonly instances: number;
  readonly reservations: number;
  readonly microCents: bigint;
}

type Line = Pick<
  Shape<"UsageLine">,
  "instance_type" | "region" | "token_id" | "seconds" | "cost_micro_cents" | "reservation_id" | "no_cost_reason"
>;

/** The key of a line. */
export type By = "instance_type" | "region" | "token_id";

/** The lines by instance type, region or token, most expensive first. `nameOf` names a group. */
export function groupBy(
  lines: readonly Line[],
  by: By,
  nameOf: (key: string) => string = (key) => key,
): readonly Group[] {
  const groups = Map.groupBy(lines, (line) => line[by] ?? "");
  return [...groups]
    .map(([key, of]) => ({
      key,
      name: nameOf(key),
      seconds: billedSeconds(of),
      ...subjectsOf(of),
      microCents: of.reduce((sum, { cost_micro_cents }) => sum + BigInt(cost_micro_cents), 0n),
    }))
    .sort((a, b) =>
      a.microCents === b.microCents ? a.name.localeCompare(b.name) : a.microCents > b.microCents ? -1 : 1,
    );
}

/** How many lines are of instances, and how many of reservations. */
export function subjectsOf(lines: readonly Pick<Shape<"UsageLine">, "reservation_id">[]): {
  readonly instances: number;
  readonly reservations: number;
} {
  const reservations = lines.filter(({ reservation_id: id }) => id !== null).length;
  return { instances: lines.length - reservations, reservations };
}

/** The name of a token; the id if not listed; "Not known" without one. */
export function tokenNames(tokens: readonly Pick<Shape<"Token">, "id" | "name">[]): (id: string) => string {
  const names = new Map(tokens.map(({ id, name }) => [id, name]));
  return (id) => names.get(id) ?? (id === "" ? "Not known" : id);
}

/** The percentage of the whole, with one digit; 0 of nothing. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole) / 10;
}
