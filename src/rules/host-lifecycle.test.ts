// The tables of hosts against what is decided and against each other. The database's: src/rental/hosts/change-mode.test.ts.

import { describe, expect, it } from "vitest";
import {
  acceptingStates,
  afterHostAction,
  asHostMode,
  asHostState,
  type HostAction,
  hostActions,
  hostDecisions,
  hostModes,
  hostStateNamed,
  hostStateOf,
  hostStates,
  lostMode,
  maintenanceMode,
  modesBeforeMaintenance,
} from "./host-lifecycle.ts";

/** Decided: from each mode, in the order of hostModes (up, cordoned, draining, maintenance, lost). */
const decided: Readonly<Record<HostAction, readonly (string | undefined)[]>> = {
  cordon: ["cordoned", "cordoned", "cordoned", undefined, undefined],
  uncordon: ["up", "up", "up", undefined, undefined],
  drain: ["draining", "draining", "draining", undefined, undefined],
  "begin-maintenance": ["maintenance", "maintenance", "maintenance", undefined, undefined],
  "end-maintenance": [undefined, undefined, undefined, "draining", undefined],
  "declare-lost": ["lost", "lost", "lost", "lost", undefined],
  return: [undefined, undefined, undefined, undefined, "cordoned"],
};

describe("the actions on a host", () => {
  it.each(Object.entries(decided))("%s leads where it is decided", (action, row) => {
    // The key of a table of actions.
    expect(hostModes.map((mode) => afterHostAction(mode, action as HostAction, "draining"))).toEqual(row);
  });

  it("return a host from its maintenance to each mode that it can have had before", () => {
    expect(modesBeforeMaintenance).toEqual(["up", "cordoned", "draining"]);
    for (const before of modesBeforeMaintenance)
      expect(afterHostAction(maintenanceMode, "end-maintenance", before)).toBe(before);
  });

  it("are all decided, and repeating one of a single step changes nothing", () => {
    expect(Object.keys(decided).sort()).toEqual(Object.keys(hostActions).sort());
    for (const action of hostDecisions)
      for (const mode of hostModes) {
        const after = afterHostAction(mode, action);
        if (after !== undefined) expect(afterHostAction(after, action)).toBe(after);
      }
  });
});

describe("the state of a host", () => {
  it("is its mode while it is available, and unreachable while it is not, unless it is lost", () => {
    for (const mode of hostModes) {
      expect(hostStateOf(mode, true)).toBe(mode);
      expect(hostStateOf(mode, false)).toBe(mode === lostMode ? lostMode : "unreachable");
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
