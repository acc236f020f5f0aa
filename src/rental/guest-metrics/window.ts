// The time and the resolution of metrics that a client asks for: what is left out gets a default, and what is not stored
// so finely becomes coarser. Pure; used by the control interface.
//
// Invariant: the number of points is limited, and the step is a multiple of what is stored for the oldest of them.

import { guestLines } from "../../rules/guest-metrics.ts";
import { invalid } from "../errors.ts";
import { keptDays, stepOfAge } from "./levels.ts";
import type { Window } from "./read-series.ts";

export const mostPoints = 1500;
const usualPoints = 400;
const usualSeconds = 3600;
const usualSteps = [15, 60, 300, 900, 3600, 21_600, 86_400] as const;
export const mostStep = 86_400;

export interface AskedWindow {
  readonly from?: Date | undefined;
  readonly to?: Date | undefined;
  /** Seconds: a multiple of 15. */
  readonly step?: number | undefined;
}

/** Throws RentalError invalid-parameters for `from`, `to` or `step`. */
export function windowOf(asked: AskedWindow, now: Date): Window {
  const present = seconds(now);
  const to = Math.min(asked.to === undefined ? present : seconds(asked.to), present);
  const from = asked.from === undefined ? to - usualSeconds : seconds(asked.from);
  if (from >= to) throw invalid("from", "Must be before `to`, and not in the future.");
  const oldest = present - keptDays * 86_400;
  if (to <= oldest) throw invalid("to", `Must be within the last ${keptDays} days: metrics are kept no longer.`);
  const begin = Math.max(from, oldest);
  const stored = stepOfAge(present - begin);
  const length = Math.max(to - begin, 1);
  const usual = usualSteps.find((one) => length / one <= usualPoints) ?? mostStep;
  const step = Math.ceil((asked.step ?? usual) / stored) * stored;
  if (length / step > mostPoints) {
    const least = Math.ceil(length / mostPoints / guestLines.everySeconds) * guestLines.everySeconds;
    throw invalid("step", `Give at least ${least} seconds for this time: a response has at most ${mostPoints} points.`);
  }
  // The present is in the last step, also where one begins just now.
  const end = to === present ? Math.floor(to / step) + 1 : Math.ceil(to / step);
  return { from: Math.floor(begin / step) * step, to: Math.max(end, 1) * step, step };
}

function seconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
