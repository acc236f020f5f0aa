// What is waited for and offered, against the tables it is made from.

import { describe, expect, it } from "vitest";
import { actionsWorthOffering, everyGoal, goals, isOutOfReach, launchGoal } from "./goals.ts";
import {
  afterAction,
  afterObservation,
  finalState,
  type InstanceAction,
  initialState,
  isLive,
  isTransient,
  type Observation,
  observations,
  type State,
  states,
} from "./lifecycle.ts";

// Object.keys gives texts; these are the tables'.
const everyAction = Object.keys(goals) as InstanceAction[];
const everyObservation = Object.keys(observations) as Observation[];

function reached(from: State): ReadonlySet<State> {
  const seen = new Set([from]);
  for (const state of seen) for (const one of everyObservation) seen.add(afterObservation(state, one) ?? state);
  return seen;
}

describe("the goal of an action", () => {
  it.each(everyAction)("%s: is where an instance rests, and is reached by itself from wherever it leads", (action) => {
    expect(isTransient[goals[action]]).toBe(false);
    for (const state of states) {
      const next = afterAction(state, action);
      if (next !== undefined && next !== finalState) expect(reached(next)).toContain(goals[action]);
    }
  });

  it("of a launch is reached by itself from where an instance begins", () => {
    expect(isTransient[launchGoal]).toBe(false);
    expect(reached(initialState)).toContain(launchGoal);
  });

  it("is one of those that may be waited for", () => {
    expect(everyGoal).toEqual(["active", "stopped", "terminated"]);
  });
});

describe("waiting", () => {
  it("is in vain where the instance has ended, or is stopped and should be active", () => {
    const lost = everyGoal.flatMap((goal) =>
      states.filter((state) => isOutOfReach(state, goal)).map((state) => `${state}, not ${goal}`),
    );
    expect(lost).toEqual([
      "stopped, not active",
      "terminating, not active",
      "terminated, not active",
      "terminating, not stopped",
      "terminated, not stopped",
    ]);
  });

  it("is never in vain for what is there", () => {
    for (const goal of everyGoal) expect(isOutOfReach(goal, goal)).toBe(false);
  });
});

describe("actions worth offering", () => {
  it("change the state, and end with the way out of whatever is live", () => {
    for (const state of states) {
      const offered = actionsWorthOffering(state);
      for (const action of offered) expect([undefined, state]).not.toContain(afterAction(state, action));
      expect(offered.at(-1)).toBe(isLive[state] ? "terminate" : undefined);
    }
  });

  it("are these of the states that are decided", () => {
    expect(Object.fromEntries(states.map((state) => [state, actionsWorthOffering(state)]))).toMatchObject({
      booting: ["stop", "terminate"],
      active: ["stop", "reboot", "terminate"],
      stopping: ["terminate"],
      stopped: ["restart", "terminate"],
      terminating: [],
      terminated: [],
    });
  });
});
