// GPUs that are being reset or validated, and about when they are back, in words that stay right while they are on the
// screen. The words: rules/gpu-return.ts.

import { useEffect, useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { inAbout, returningWords } from "../../../src/rules/gpu-return.ts";

type Returning = readonly Shape<"ReturningGpus">[];

const stepMilliseconds = 10_000;

/** Milliseconds until what shows such GPUs is read again: that they are back has no event. */
export const returningPollMilliseconds = 15_000;

/** Undefined: there are none. */
export function useReturningWords(returning: Returning): string | undefined {
  return returningWords(returning, useNow(returning.length > 0));
}

/** Nothing if there are none. */
export function ReturningNote({
  returning,
  className = "soft",
}: {
  readonly returning: Returning;
  readonly className?: string;
}) {
  const words = useReturningWords(returning);
  return words === undefined ? null : <span className={className}>{words}</span>;
}

/** "Back in about 3 minutes", of one GPU; nothing without an estimate. */
export function BackNote({ at, className }: { readonly at: string | null; readonly className: string | undefined }) {
  const words = inAbout(at, useNow(at !== null));
  return words === undefined ? null : <span className={className}>Back {words}</span>;
}

function useNow(isRunning: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    setNow(Date.now());
    const timer = window.setInterval(() => setNow(Date.now()), stepMilliseconds);
    return () => window.clearInterval(timer);
  }, [isRunning]);
  return now;
}
