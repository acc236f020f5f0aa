// When GPUs that are being reset or validated are expected back, and how people are told. The only source of both, for the
// rental, the control interface, the command line and the console. Pure: the current time is passed in.
//
// Invariant: an estimate follows from how long the same took before, rounded up to a whole minute. There is none where
// nothing was measured, where a reset or a validation is retried, and once it has passed: such a GPU can be quarantined.

import type { GpuState } from "./gpu-lifecycle.ts";

/** What is known of a GPU that returns by itself. Times in milliseconds since 1970. */
export interface ReturnFacts {
  readonly state: GpuState;
  /** When it entered the state. */
  readonly since: number;
  /** How often its reset or its validation was tried, whichever its state says, including the one in progress. */
  readonly attempts: number;
  readonly isToBeValidated: boolean;
  /** When the validation began that has it; null: none has. */
  readonly validationBegan: number | null;
  /** Until then it is validated again and again; null: it is not. */
  readonly burnInUntil: number | null;
}

/** How long resets and validations of a model took lately, in seconds; null: not measured. */
export interface MeasuredSeconds {
  readonly reset: number | null;
  readonly validation: number | null;
}

/** So many GPUs, expected back at the same minute. */
export interface ReturningGpus {
  readonly gpus: number;
  /** Null: no estimate. */
  readonly backAt: Date | null;
}

const minuteMs = 60_000;

/** The estimate; null: there is none. `now`: in milliseconds since 1970. */
export function backAt(facts: ReturnFacts, measured: MeasuredSeconds, now: number): Date | null {
  const { state, since, attempts, isToBeValidated, validationBegan, burnInUntil } = facts;
  const isInProgress = state === "sanitizing" || validationBegan !== null;
  if (attempts > (isInProgress ? 1 : 0)) return null;
  const reset = state === "sanitizing" ? measured.reset : 0;
  const validation = isToBeValidated ? measured.validation : 0;
  if (reset === null || validation === null) return null;
  const lastBegins = Math.max((validationBegan ?? since) + reset * 1000, burnInUntil ?? 0);
  const at = Math.ceil((lastBegins + validation * 1000) / minuteMs) * minuteMs;
  return at > now ? new Date(at) : null;
}

/** The soonest first, and last those without an estimate. */
export function inOrderOfReturn(found: readonly ReturningGpus[]): ReturningGpus[] {
  const byTime = Map.groupBy(found, (one) => one.backAt?.getTime() ?? Number.POSITIVE_INFINITY);
  return [...byTime]
    .toSorted(([one], [other]) => (one === other ? 0 : one - other))
    .map(([at, same]) => ({
      gpus: same.reduce((sum, { gpus }) => sum + gpus, 0),
      backAt: Number.isFinite(at) ? new Date(at) : null,
    }));
}

/** As the control interface says it. */
interface ShownReturning {
  readonly gpus: number;
  readonly back_at: string | null;
}

/** "in about 3 minutes"; undefined: no estimate, or it has passed. `now`: in milliseconds since 1970. */
export function inAbout(backAtText: string | null, now: number): string | undefined {
  const minutes = backAtText === null ? 0 : Math.ceil((Date.parse(backAtText) - now) / minuteMs);
  if (minutes <= 0) return undefined;
  const [count, unit] = minutes <= 90 ? [minutes, "minute"] : [Math.ceil(minutes / 60), "hour"];
  return `in about ${count} ${unit}${count === 1 ? "" : "s"}`;
}

/**
 * "2 GPUs back in about 3 minutes, 1 more being reset or validated"; undefined: there are none. Of any regions together.
 * `now`: in milliseconds since 1970.
 */
export function returningWords(returning: readonly ShownReturning[], now: number): string | undefined {
  const [first, ...later] = inOrderOfReturn(
    returning.map(({ gpus, back_at: at }) => ({
      gpus,
      backAt: inAbout(at, now) === undefined || at === null ? null : new Date(at),
    })),
  );
  if (first === undefined) return undefined;
  const counted = `${first.gpus.toLocaleString("en-US")} ${first.gpus === 1 ? "GPU" : "GPUs"}`;
  const soon = inAbout(first.backAt?.toISOString() ?? null, now);
  if (soon === undefined) return `${counted} being reset or validated`;
  const more = later.reduce((sum, { gpus }) => sum + gpus, 0);
  return `${counted} back ${soon}${more === 0 ? "" : `, ${more.toLocaleString("en-US")} more being reset or validated`}`;
}
