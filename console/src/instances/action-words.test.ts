// What the console offers to do with an instance is what the service does.

import { describe, expect, it } from "vitest";
import { type InstanceAction as Action, actions, states } from "../../../src/rules/lifecycle.ts";
import { able, actionEffects, actionsFor, actionTitles } from "./action-words.ts";

/** Where the service's table leads; undefined: rejected. */
const leadsTo = (action: Action, state: (typeof states)[number]): string | undefined => {
  const table: Partial<Record<string, string>> = actions[action];
  return table[state];
};

describe.each(["stop", "restart", "terminate"] as const)("%s", (action) => {
  it.each(states)("is offered for an instance that is %s exactly where it leads somewhere", (state) => {
    const to = leadsTo(action, state);
    expect(actionsFor(state).includes(action)).toBe(to !== undefined && to !== state);
  });
});

it("an action on several instances leaves out those whose state does not allow it", () => {
  const all = (["booting", "active", "stopping", "stopped", "terminating", "terminated"] as const).map((status) => ({
    status,
  }));
  const allowed = (action: Action) => able(all, action).map(({ status }) => status);
  expect(allowed("stop")).toEqual(["booting", "active"]);
  expect(allowed("reboot")).toEqual(["active"]);
  expect(allowed("terminate")).toEqual(["booting", "active", "stopping", "stopped"]);
  expect(Object.keys(actionEffects)).toEqual(Object.keys(actionTitles));
});
