// The path of a line chart, with gaps where no values are. Pure; used by line-chart.tsx.

export interface Line {
  readonly key: string;
  readonly label: string;
  /** One for each step; null: unknown. */
  readonly values: readonly (number | null)[];
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A value may be missing here and there without a gap: a sample can come a little late. */
const mostMissing = 2;

/** The path of an SVG: lines between values that are near each other, dots for those that are alone. */
export function linePath(values: readonly (number | null)[], most: number, { width, height }: Size): string {
  const parts: string[] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    const x = ((at + 0.5) / values.length) * width;
    const y = height - Math.min(Math.max(value / most, 0), 1) * height;
    const isNear = at - last <= mostMissing + 1;
    // A line of no length is drawn as a dot, by its round ends.
    parts.push(isNear ? `L${exact(x)} ${exact(y)}` : `M${exact(x)} ${exact(y)}h0`);
    last = at;
  }
  return parts.join("");
}

/** The place of the value at this share of the width, from 0 to 1. */
export function pointAt(share: number, count: number): number {
  return Math.min(Math.max(Math.floor(share * count), 0), count - 1);
}

/** The least of 1, 2, 5, 10, … times a power of ten that is not below `highest`: the top of a chart. */
export function evenTop(highest: number): number {
  if (!(highest > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(highest));
  return ([1, 2, 5].find((one) => one * power >= highest) ?? 10) * power;
}

function exact(value: number): string {
  return String(Math.round(value * 10) / 10);
}
