// The target state of each action, whether waiting for it is pointless, and which actions to offer. Derived from the
// tables of lifecycle.ts. Used by the command line, the console and the MCP tools.

import {
  afterAction,
  afterObservation,
  type InstanceAction,
  isLive,
  isTransient,
  type Observation,
  observations,
  type State,
  states,
} from "./lifecycle.ts";

/** The state that an action leads to on success. */
export const goals = {
  stop: "stopped",
  restart: "active",
  reboot: "active",
  terminate: "terminated",
} as const satisfies Record<InstanceAction, State>;
export type Goal = (typeof goals)[InstanceAction];

/** The state that a launch leads to on success. */
export const launchGoal = "active" satisfies Goal;

/** Every goal, in the order of the states. */
export const everyGoal: readonly Goal[] = states.filter(isGoal);

function isGoal(state: State): state is Goal {
  return Object.values(goals).some((goal) => goal === state);
}

/**
 * Whether waiting for `goal` is pointless: the instance has ended, or is in a state from which no observation leads to
 * the goal. Every instance ends some day, so waiting for the end never is.
 */
export function isOutOfReach(state: State, goal: Goal): boolean {
  if (!isLive[goal]) return false;
  return !isLive[state] || !(isTransient[state] || reachedByItself(state).has(goal));
}

/** The state, and those that observations alone lead to from it. */
function reachedByItself(from: State): ReadonlySet<State> {
  const reached = new Set([from]);
  // Object.keys gives texts; these are the table's.
  const every = Object.keys(observations) as Observation[];
  for (const state of reached) for (const one of every) reached.add(afterObservation(state, one) ?? state);
  return reached;
}

const inOrder: readonly InstanceAction[] = ["stop", "reboot", "restart", "terminate"];

/** The actions that `state` allows, in display order; of two that start it, restart. */
export function actionsWorthOffering(state: State): InstanceAction[] {
  const leads = (action: InstanceAction) => ![undefined, state].includes(afterAction(state, action));
  return inOrder.filter((action) => leads(action) && !(action === "reboot" && leads("restart")));
}
