// Compares the result of a run with the table: which parts reached their target, and which part determines the verdict.
// Used by output.ts and results.ts.

import { type MeasureName, measureOf, type Part } from "./measures.ts";
import type { Figure } from "./statistics.ts";

/** The result of a run. */
export interface Outcome {
  readonly name: MeasureName;
  /** By the names of the measure's parts; all of them. */
  readonly figures: Readonly<Record<string, Figure>>;
  /** Context to interpret the figures: rates, CPU usage, other measurements. */
  readonly notes: readonly string[];
  readonly besides?: readonly Beside[];
  /** What the chart shows. */
  readonly growth?: readonly GrowthRow[];
}

/** A cost in datasets of growing size. */
export interface GrowthRow {
  readonly name: string;
  readonly unit: "ms" | "s" | "MB";
  /** Medians, from the smallest dataset to the largest. */
  readonly points: readonly { readonly instances: number; readonly median: number }[];
}

/** Another peer, or why there is none: reported, without a target. */
export type Beside =
  | { readonly against: string; readonly ratio: Figure }
  | { readonly against: string; readonly missing: string };

/** A measure without figures, and why. */
export interface Missing {
  readonly name: MeasureName;
  readonly missing: string;
}

export type Result = Outcome | Missing;

export interface JudgedPart extends Part, Figure {
  readonly part: string;
  readonly reached: boolean;
}

export function isMissing(result: Result): result is Missing {
  return "missing" in result;
}

/** Every part of the measure, in the order of the table. Throws "BUG: …" if the run has missing or unknown parts. */
export function judge({ name, figures }: Outcome): JudgedPart[] {
  const { parts } = measureOf(name);
  const unknown = Object.keys(figures).find((part) => !Object.hasOwn(parts, part));
  if (unknown !== undefined) throw new Error(`BUG: ${name} has no part "${unknown}"`);
  return Object.entries(parts).map(([part, row]) => {
    const figure = figures[part];
    if (figure === undefined) throw new Error(`BUG: ${name} was run without its part "${part}"`);
    return { part, ...row, ...figure, reached: share(row, figure) >= 1 };
  });
}

/** The part that is furthest from its target: it decides. */
export function worst(parts: readonly JudgedPart[]): JudgedPart {
  const [first] = parts.toSorted((a, b) => share(a, a) - share(b, b));
  if (first === undefined) throw new Error("BUG: a measure without parts");
  return first;
}

/** The share of the target that was reached; 1 and more: reached. */
function share({ direction, reach }: Part, { median }: Figure): number {
  if (direction === "at least") return median / reach;
  return median <= 0 ? Number.POSITIVE_INFINITY : reach / median;
}
