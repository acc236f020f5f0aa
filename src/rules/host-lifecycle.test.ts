// The tables of hosts against what is decided and against each other. The database's: src/rental/hosts/change-mode.test.ts.

import { describe, expect, it } from "vitest";
import {
  acceptingStates,
  afterHostAction,
  asHostMode,
  asHostState,
  type HostAction,
  hostActions,
  hostModes,
  hostStateNamed,
  hostStateOf,
  hostStates,
} from "./host-lifecycle.ts";

/** Decided: from each mode, in the order of hostModes (up, cordoned, draining). */
const decided: Readonly<Record<HostAction, readonly (string | undefined)[]>> = {
  cordon: ["cordoned", "cordoned", "cordoned"],
  uncordon: ["up", "up", "up"],
  drain: ["draining", "draining", "draining"],
};

describe("the actions on a host", () => {
  it.each(Object.entries(decided))("%s leads where it is decided", (action, row) => {
    // The key of a table of actions.
    expect(hostModes.map((mode) => afterHostAction(mode, action as HostAction))).toEqual(row);
  });

  it("are all decided, and repeating one changes nothing", () => {
    expect(Object.keys(decided).sort()).toEqual(Object.keys(hostActions).sort());
    for (const action of Object.keys(decided) as HostAction[])
      for (const mode of hostModes) {
        const after = afterHostAction(mode, action);
        if (after !== undefined) expect(afterHostAction(after, action)).toBe(after);
      }
  });
});

describe("the state of a host", () => {
  it("is its mode while it is available, and unreachable while it is not", () => {
    for (const mode of hostModes) {
      expect(hostStateOf(mode, true)).toBe(mode);
      expect(hostStateOf(mode, false)).toBe("unreachable");
    }
  });

  it("accepts new instances in one state only", () => {
    expect(acceptingStates).toEqual(["up"]);
  });

  it("is a known word, or a bug", () => {
    for (const state of hostStates) expect(asHostState(state)).toBe(state);
    for (const mode of hostModes) expect(asHostMode(mode)).toBe(mode);
    expect(hostStateNamed("melted")).toBeUndefined();
    expect(() => asHostState("melted")).toThrow("BUG: unknown host state");
    expect(() => asHostMode("unreachable")).toThrow("BUG: unknown host mode");
  });
});
