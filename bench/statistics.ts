// Median, spread and percentiles of several measurements, and ratios of pairs. Pure; used by every run.

/** A figure of several rounds. */
export interface Figure {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The percentile of the values, `percent` from 0 to 100. Throws if there are none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (value === undefined) throw new Error("BUG: a percentile of nothing");
  return value;
}

/** The median; of an even number the mean of the middle two. Throws if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error("BUG: a median of nothing");
  return (lower + upper) / 2;
}

export function figureOf(values: readonly number[]): Figure {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/**
 * The ratio of each round of `a` to the round of `b` that followed it, so that other load at that time affected both.
 * Throws if their numbers differ, or if a round of `b` is zero.
 */
export function ratioOf(a: readonly number[], b: readonly number[]): Figure {
  if (a.length !== b.length) throw new Error(`BUG: ${a.length} rounds against ${b.length}`);
  const ratios = a.map((value, round) => {
    const other = b[round];
    if (other === undefined || !(other > 0)) throw new Error("A round of the other side came to nothing.");
    return value / other;
  });
  return figureOf(ratios);
}
