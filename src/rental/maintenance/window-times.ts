// The rules of a window's times. Pure. Used by schedule.ts and defer.ts.

import { windowLimits } from "../../rules/maintenance.ts";
import { invalid, RentalError } from "../errors.ts";
import type { MaintenanceWindow } from "./window.ts";

export interface WindowTimes {
  readonly beginsAt: Date;
  readonly endsAt: Date;
  readonly deferrableUntil: Date | null;
}

const days = (seconds: number) => `${seconds / 86_400} days`;
const seconds = (from: Date, to: Date) => (to.getTime() - from.getTime()) / 1000;

/** Throws RentalError invalid-parameters, naming the field. `now`: of the database. */
export function checkTimes({ beginsAt, endsAt, deferrableUntil }: WindowTimes, now: Date): void {
  const { furthestAhead, latestBegin } = windowLimits;
  if (seconds(beginsAt, now) > latestBegin) throw invalid("from", "Must not be in the past.");
  if (seconds(now, beginsAt) > furthestAhead) throw invalid("from", `Must be at most ${days(furthestAhead)} ahead.`);
  checkEnd({ beginsAt, endsAt }, now);
  if (deferrableUntil === null) return;
  if (deferrableUntil < beginsAt) throw invalid("deferrable_until", "Must not be before `from`.");
  if (seconds(now, deferrableUntil) > furthestAhead)
    throw invalid("deferrable_until", `Must be at most ${days(furthestAhead)} ahead.`);
}

/** The same for the end alone. */
export function checkEnd({ beginsAt, endsAt }: Pick<WindowTimes, "beginsAt" | "endsAt">, now: Date): void {
  if (endsAt <= beginsAt) throw invalid("to", "Must be after `from`.");
  if (endsAt <= now) throw invalid("to", "Must be in the future.");
  const { longest } = windowLimits;
  if (seconds(beginsAt, endsAt) > longest) throw invalid("to", `Must be at most ${days(longest)} after \`from\`.`);
}

/**
 * The times of the window after a customer deferred it to `until`; undefined: to the latest begin that is allowed. Its
 * length stays. Throws RentalError invalid-parameters (field `until`), and conflict: it cannot be deferred, or not any
 * more.
 */
export function deferredTimes(window: MaintenanceWindow, until: Date | undefined, now: Date): WindowTimes {
  const { beginsAt, endsAt, deferrableUntil } = window;
  if (until?.getTime() === beginsAt.getTime()) return window;
  if (deferrableUntil === null || deferrableUntil <= beginsAt) {
    throw new RentalError("conflict", {
      message: `The maintenance window ${window.id} cannot be deferred${deferrableUntil === null ? "" : " any further"}.`,
      suggestion: "Prepare your instances for it, or ask your provider.",
    });
  }
  const { deferNotice, deferStep } = windowLimits;
  if (seconds(now, beginsAt) < deferNotice) {
    throw new RentalError("conflict", {
      message: `The maintenance window ${window.id} begins at ${beginsAt.toISOString()}, in less than ${deferNotice / 60} minutes.`,
      suggestion: "Prepare your instances for it, or ask your provider.",
    });
  }
  const begin = until ?? deferrableUntil;
  if (begin < beginsAt) throw invalid("until", `Must not be before ${beginsAt.toISOString()}, when it begins now.`);
  if (begin < deferrableUntil && seconds(beginsAt, begin) < deferStep) {
    const [least, last] = [deferStep / 60, deferrableUntil.toISOString()];
    throw invalid("until", `Must be at least ${least} minutes after ${beginsAt.toISOString()}, or ${last}.`);
  }
  if (begin > deferrableUntil) throw invalid("until", `Must be at the latest ${deferrableUntil.toISOString()}.`);
  return {
    beginsAt: begin,
    endsAt: new Date(endsAt.getTime() + begin.getTime() - beginsAt.getTime()),
    deferrableUntil,
  };
}
