// The lambda edition: what can be done with an instance, and why not. Made from the table of lifecycle.ts, so that what is
// shown as available is what is accepted.

import { Type } from "typebox";
import type { Instance } from "../../rental/instances/index.ts";
import { afterWish, isLive, type State, type Wish } from "../../rental/instances/lifecycle.ts";

/** Every action that its clients look for. */
export const actionNames = ["migrate", "rebuild", "restart", "cold_reboot", "terminate"] as const;
type ActionName = (typeof actionNames)[number];

const reasons = {
  "vm-has-not-launched": "The instance is still booting.",
  "vm-is-terminating": "The instance is being terminated.",
  "vm-is-terminated": "The instance is terminated.",
  "vm-is-not-stopped": "Only a stopped instance may be restarted.",
  "not-supported": "This service does not offer it.",
} as const;
type Reason = keyof typeof reasons;

export const Action = Type.Object(
  {
    available: Type.Boolean(),
    reason_code: Type.Optional(Type.String({ description: "Why it is not available; absent where it is." })),
    reason_description: Type.Optional(Type.String({ description: "The same for people." })),
  },
  { title: "Action" },
);

/** What can be done with this instance now. `restartReboots`: config `interfaces.lambda.restart_reboots`. */
export function actionsOf({ state }: Pick<Instance, "state">, restartReboots: boolean) {
  const restart = shown(whyNotRestart(state, restartWish(restartReboots)));
  return {
    migrate: shown("not-supported"),
    rebuild: shown("not-supported"),
    restart,
    // Power-cycle is what restart is: a machine is always halted whole, and started anew.
    cold_reboot: restart,
    terminate: shown(ended(state)),
  } satisfies Record<ActionName, unknown>;
}

/** What a restart wishes for. */
export function restartWish(restartReboots: boolean): Wish {
  return restartReboots ? "reboot" : "restart";
}

/** One that boots may be rebooted again, without an effect; who asks what can be done need not. */
function whyNotRestart(state: State, wish: Wish): Reason | undefined {
  if (state === "booting") return "vm-has-not-launched";
  if (afterWish(state, wish) !== undefined) return undefined;
  return ended(state) ?? "vm-is-not-stopped";
}

/** One that is ended may be terminated again, without an effect; who asks what can be done need not. */
function ended(state: State): Reason | undefined {
  if (isLive[state]) return undefined;
  return state === "terminating" ? "vm-is-terminating" : "vm-is-terminated";
}

function shown(why: Reason | undefined) {
  return why === undefined
    ? { available: true }
    : { available: false, reason_code: why, reason_description: reasons[why] };
}
