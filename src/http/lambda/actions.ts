// The lambda edition: the available actions of an instance, and why others are not. Derived from the table of
// lifecycle.ts, so that exactly the actions shown as available are accepted. This edition has no path for `migrate`: it is
// available where an operator can move the instance (control interface).

import { Type } from "typebox";
import type { Instance } from "../../rental/instances/instance.ts";
import type { Service } from "../../rental/service.ts";
import {
  afterAction,
  finalState,
  type InstanceAction,
  isBooting,
  isLive,
  isMovable,
  isTransient,
  type State,
} from "../../rules/lifecycle.ts";

/** Every action that its clients know. */
export const actionNames = ["migrate", "rebuild", "restart", "cold_reboot", "terminate"] as const;
type ActionName = (typeof actionNames)[number];

/** Why it is not available. Clients know a closed list of codes, and fail on others. */
const reasons = {
  booting: { code: "vm-has-not-launched", description: "The instance is still booting." },
  stopping: {
    code: "vm-has-not-launched",
    description: "The instance is stopping; restart it when it is unhealthy.",
  },
  notStopped: {
    code: "vm-has-not-launched",
    description:
      "Only a stopped instance can be restarted: shut it down from inside, then restart it when it is unhealthy.",
  },
  notMovable: {
    code: "vm-has-not-launched",
    description: "Only a stopped instance can be moved to another host, by your provider.",
  },
  terminating: { code: "vm-is-terminating", description: "The instance is being terminated." },
  terminated: { code: "vm-is-terminating", description: "The instance is terminated." },
  notSupported: { code: "vm-is-too-old", description: "This service does not offer this action." },
} as const;
type Reason = keyof typeof reasons;
const reasonCodes = ["vm-has-not-launched", "vm-is-terminating", "vm-is-too-old"] as const;

export const Action = Type.Object(
  {
    available: Type.Boolean(),
    reason_code: Type.Optional(Type.Enum([...reasonCodes], { description: "Absent where it is available." })),
    reason_description: Type.Optional(Type.String({ description: "Why it is not available." })),
  },
  { title: "Action" },
);

/** What decides about actions beside the state. */
export interface ActionSettings {
  /** Config `interfaces.lambda.restart_reboots`. */
  readonly restartReboots: boolean;
  /** Whether this engine can move machines between hosts. */
  readonly canMove: (engine: string) => boolean;
}

export function actionSettings(
  { enginesThatMove }: Pick<Service, "enginesThatMove">,
  restartReboots: boolean,
): ActionSettings {
  return { restartReboots, canMove: (engine) => enginesThatMove === undefined || enginesThatMove().has(engine) };
}

/** The actions available for this instance now. */
export function actionsOf({ state, engine }: Pick<Instance, "state" | "engine">, settings: ActionSettings) {
  const restart = shown(whyNotRestart(state, restartAction(settings.restartReboots)));
  return {
    migrate: shown(settings.canMove(engine) ? whyNotMove(state) : "notSupported"),
    rebuild: shown("notSupported"),
    restart,
    // Power-cycle equals restart: a machine is always stopped completely, and started again.
    cold_reboot: restart,
    terminate: shown(ended(state)),
  } satisfies Record<ActionName, unknown>;
}

/** The action of a restart. */
export function restartAction(restartReboots: boolean): InstanceAction {
  return restartReboots ? "reboot" : "restart";
}

function whyNotMove(state: State): Reason | undefined {
  return ended(state) ?? (isMovable[state] ? undefined : "notMovable");
}

/** Why a restart is rejected: a booting instance accepts a reboot, which has no effect on its boot. */
function whyNotRestart(state: State, wish: InstanceAction): Reason | undefined {
  if (afterAction(state, wish) !== undefined) return undefined;
  if (isBooting[state]) return "booting";
  return ended(state) ?? (isTransient[state] ? "stopping" : "notStopped");
}

/** An ended instance accepts another terminate, without effect, but does not show it as available. */
function ended(state: State): Reason | undefined {
  if (isLive[state]) return undefined;
  return state === finalState ? "terminated" : "terminating";
}

function shown(why: Reason | undefined) {
  if (why === undefined) return { available: true };
  const { code, description } = reasons[why];
  return { available: false, reason_code: code, reason_description: description };
}
