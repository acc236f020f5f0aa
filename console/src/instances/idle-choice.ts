// An idle rule as it is chosen in a form. Pure; used by idle-rule-inputs.tsx, idle-dialog.tsx and the launch page.

import type { Shape } from "../../../src/client/client.ts";
import { checkIdleRule, type IdleAction, idleMinutes } from "../../../src/rules/idle.ts";
import { formatNumber } from "../shared/format-number.ts";

export interface IdleChoice {
  readonly action: IdleAction | "none";
  /** As typed. */
  readonly minutes: number | string;
}

export const idleTitles: Readonly<Record<IdleChoice["action"], string>> = {
  none: "Nothing",
  notify: "Notify",
  stop: "Notify and stop",
  terminate: "Notify and terminate",
};

export const noIdleRule: IdleChoice = { action: "none", minutes: 60 };

export function idleChoiceOf(rule: Shape<"IdleRule"> | null): IdleChoice {
  return rule === null ? noIdleRule : { action: rule.action, minutes: rule.minutes };
}

/** Null: none. */
export function idleRuleOf({ action, minutes }: IdleChoice): Shape<"IdleRule"> | null {
  return action === "none" ? null : { action, minutes: Number(minutes) };
}

/** What is wrong with it, for an instance like this; of what is not chosen yet, nothing is wrong. */
export function idleProblem(
  { action, minutes }: IdleChoice,
  {
    gpus = 1,
    hasMetrics = true,
  }: { readonly gpus?: number | undefined; readonly hasMetrics?: boolean | undefined } = {},
): string | undefined {
  if (action === "none") return undefined;
  const { least, most } = idleMinutes;
  if (minutes === "" || Number(minutes) < least || Number(minutes) > most)
    return `Enter ${least} to ${formatNumber(most)} minutes.`;
  return checkIdleRule({ gpus, hasMetrics });
}
