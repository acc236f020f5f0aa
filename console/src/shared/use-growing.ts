// Draws long lists in steps: at first what fits on a screen, then more each time that was painted. Between two steps the
// page responds to inputs. What is far below is drawn when somebody scrolls towards it. Used by data-table.tsx and the fleet
// map.

import { type RefObject, startTransition, useEffect, useRef, useState } from "react";

interface Steps {
  readonly first: number;
  readonly more: number;
  /** So many are drawn wherever the page is scrolled to; all of them if it is not given. */
  readonly unasked?: number;
}

interface Growing {
  /** How many entries are to be drawn now. */
  readonly count: number;
  /** Whether more are about to be drawn. */
  readonly isBusy: boolean;
  /** For an element after the last entry, where `unasked` is given. */
  readonly end: RefObject<HTMLDivElement | null>;
  /** Draws all that is left. */
  readonly drawAll: () => void;
}

/** More is drawn when the end is this near to the window. */
const nearEnd = "1500px";

/** Of `total` entries. Another `order` says that all may be others: it begins anew. */
export function useGrowing(
  total: number,
  order: string,
  { first, more, unasked = Number.POSITIVE_INFINITY }: Steps,
): Growing {
  const [drawn, setDrawn] = useState({ order, count: first });
  const end = useRef<HTMLDivElement>(null);
  const count = drawn.order === order ? drawn.count : first;
  const isComplete = count >= total;
  const isBusy = !isComplete && count < unasked;
  useEffect(() => {
    if (isComplete) return;
    const grow = () => startTransition(() => setDrawn({ order, count: count + more }));
    if (isBusy) {
      const timer = window.setTimeout(grow);
      return () => window.clearTimeout(timer);
    }
    if (end.current === null) return;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && grow(), { rootMargin: nearEnd });
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [order, count, isComplete, isBusy, more]);
  const drawAll = () => startTransition(() => setDrawn({ order, count: total }));
  return { count: Math.min(count, total), isBusy, end, drawAll };
}
