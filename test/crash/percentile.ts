// Of many measurements: the value that so many per cent of them do not exceed.

/** `percent` from 0 to 100; 100 is the largest. Not a number where there are none. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** Milliseconds in words of a figure: "p50 12, p99 80, longest 95 ms". */
export function spread(milliseconds: readonly number[]): string {
  const [half, most, longest] = [50, 99, 100].map((percent) => Math.round(percentile(milliseconds, percent)));
  return `p50 ${half}, p99 ${most}, longest ${longest} ms`;
}
