// Which actions each state of an instance allows, their names, and to which of several instances they apply. Pure.

import type { Shape } from "../../../src/client/client.ts";
import { actionsWorthOffering } from "../../../src/rules/goals.ts";
import type { InstanceAction as Action } from "../../../src/rules/lifecycle.ts";
import type { IconName } from "../shared/icon.tsx";

/** The actions that a state allows. */
export const actionsFor = actionsWorthOffering;

export const actionTitles: Readonly<Record<Action, string>> = {
  stop: "Stop",
  reboot: "Reboot",
  restart: "Restart",
  terminate: "Terminate",
};

export const actionIcons: Readonly<Record<Action, IconName>> = {
  stop: "stop",
  reboot: "restart",
  restart: "restart",
  terminate: "trash",
};

/** The effect of an action, for its confirmation. */
export const actionEffects: Readonly<Record<Action, string>> = {
  stop: "It shuts down. Its disk, address and GPUs stay reserved, and it stays billed.",
  reboot: "It shuts down and starts again. Running programs are interrupted.",
  restart: "It starts again.",
  terminate: "It shuts down, and its disk is deleted with all data. Billing ends immediately. This can't be undone.",
};

/** Those of the instances whose state allows the action. */
export const able = <One extends Pick<Shape<"Instance">, "status">>(
  all: readonly One[],
  action: Action,
): readonly One[] => all.filter(({ status }) => actionsFor(status).includes(action));
