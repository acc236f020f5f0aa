// Lines of usage put together by what they have in common. Pure; sums are exact, in BigInt micro-cents.

import type { Shape } from "../../../src/client/index.ts";

export interface Group {
  readonly name: string;
  readonly seconds: number;
  readonly machines: number;
  readonly microCents: bigint;
}

type Line = Pick<Shape<"UsageLine">, "instance_type" | "region" | "seconds" | "cost_micro_cents">;

/** The lines by product or by region, dearest first. */
export function groupBy(lines: readonly Line[], by: "instance_type" | "region"): readonly Group[] {
  const groups = Map.groupBy(lines, (line) => line[by]);
  return [...groups]
    .map(([name, of]) => ({
      name,
      seconds: of.reduce((sum, { seconds }) => sum + seconds, 0),
      machines: of.length,
      microCents: of.reduce((sum, { cost_micro_cents }) => sum + BigInt(cost_micro_cents), 0n),
    }))
    .sort((a, b) =>
      a.microCents === b.microCents ? a.name.localeCompare(b.name) : a.microCents > b.microCents ? -1 : 1,
    );
}

/** What part of the whole it is, in per cent with one digit; 0 where there is none. */
export function shareOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 1000n) / whole) / 10;
}
