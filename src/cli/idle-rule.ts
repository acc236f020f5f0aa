// The idle rule of an instance as the command line writes it: "30m:notify", "none". Used by launch, idle and show.

import type { Shape } from "../client/client.ts";
import { idleActionNames } from "../rules/idle.ts";
import { usageError } from "./command-error.ts";
import { duration, secondsIn } from "./output/units.ts";

type IdleRule = Shape<"IdleRule">;

/** Null: none. Throws CommandError if the text is no rule. */
export function idleRuleFrom(text: string): IdleRule | null {
  if (text === "none") return null;
  const [span = "", word, ...others] = text.split(":");
  const action = idleActionNames.find((known) => known === word);
  if (action === undefined || others.length > 0) {
    throw usageError(
      `Not an idle rule: ${text}`,
      `Write a time and one of ${idleActionNames.join(", ")}: 30m:stop; or none.`,
    );
  }
  return { minutes: Math.ceil(secondsIn(span) / 60), action };
}

/** "stop after 30 min without use"; null: none. */
export function idleRuleText(rule: IdleRule | null): string | null {
  return rule === null ? null : `${rule.action} after ${duration(rule.minutes * 60)} without use of its GPUs`;
}
