// Where bars and steps of a calendar are drawn. Pure. Used by timeline.tsx.

export interface Span {
  /** In milliseconds since 1970. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** The part of it within the calendar, in percent of its width; undefined: it lies outside. */
export function placeOf(
  { fromMs, toMs }: Span,
  shown: Span,
): { readonly left: number; readonly width: number } | undefined {
  const [from, to] = [Math.max(fromMs, shown.fromMs), Math.min(toMs, shown.toMs)];
  if (to <= from) return undefined;
  const percent = (ms: number) => (ms / (shown.toMs - shown.fromMs)) * 100;
  return { left: percent(from - shown.fromMs), width: percent(to - from) };
}

/**
 * Lanes of bars that do not overlap, as few as there can be: each bar is in the first lane with room for it. `leastMs`: the space that
 * a bar has at least, so that its label fits.
 */
export function lanesOf<Bar extends Span>(bars: readonly Bar[], leastMs = 0): Bar[][] {
  const lanes: Bar[][] = [];
  for (const bar of bars.toSorted((a, b) => a.fromMs - b.fromMs || b.toMs - a.toMs)) {
    const free = lanes.find((lane) => {
      const last = lane.at(-1);
      return last === undefined || Math.max(last.toMs, last.fromMs + leastMs) <= bar.fromMs;
    });
    if (free === undefined) lanes.push([bar]);
    else free.push(bar);
  }
  return lanes;
}

const dayMs = 86_400_000;

/** The beginnings of days (UTC) within the calendar, with some left out where there are many. */
export function daysOf({ fromMs, toMs }: Span, most = 7): number[] {
  const first = Math.ceil(fromMs / dayMs);
  const count = Math.max(0, Math.ceil(toMs / dayMs) - first);
  const step = Math.max(1, Math.ceil(count / most));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => (first + index * step) * dayMs);
}
