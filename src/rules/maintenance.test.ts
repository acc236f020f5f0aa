// The tables of maintenance windows against what is decided. The database's: src/rental/maintenance/windows.test.ts.

import { describe, expect, it } from "vitest";
import {
  afterWindowAction,
  asMaintenanceMode,
  asWindowPhase,
  maintenanceModes,
  openPhases,
  pastPhases,
  phasesInForce,
  stoppingModes,
  type WindowAction,
  windowActions,
  windowPhases,
} from "./maintenance.ts";

/** Decided: from each phase, in the order of windowPhases (scheduled, started, ended, canceled). */
const decided: Readonly<Record<WindowAction, readonly (string | undefined)[]>> = {
  reschedule: ["scheduled", undefined, undefined, undefined],
  "move-end": ["scheduled", "started", undefined, undefined],
  defer: ["scheduled", undefined, undefined, undefined],
  begin: ["started", undefined, undefined, undefined],
  end: [undefined, "ended", undefined, undefined],
  cancel: ["canceled", undefined, undefined, undefined],
};

describe("the actions on a maintenance window", () => {
  it.each(Object.entries(decided))("%s leads where it is decided", (action, row) => {
    // The key of a table of actions.
    expect(windowPhases.map((phase) => afterWindowAction(phase, action as WindowAction))).toEqual(row);
  });

  it("are all decided, and none leads out of a phase that is past", () => {
    expect(Object.keys(decided).sort()).toEqual(Object.keys(windowActions).sort());
    // As above.
    for (const action of Object.keys(windowActions) as WindowAction[])
      for (const phase of pastPhases) expect(afterWindowAction(phase, action)).toBeUndefined();
  });
});

describe("the properties of phases and modes", () => {
  it("are those that are decided", () => {
    expect([openPhases, phasesInForce, pastPhases]).toEqual([
      ["scheduled", "started"],
      ["started"],
      ["ended", "canceled"],
    ]);
    expect(stoppingModes).toEqual(["stop", "move"]);
  });

  it("belong to known words, and others are bugs", () => {
    for (const phase of windowPhases) expect(asWindowPhase(phase)).toBe(phase);
    for (const mode of maintenanceModes) expect(asMaintenanceMode(mode)).toBe(mode);
    expect(() => asWindowPhase("late")).toThrow("BUG: unknown phase");
    expect(() => asMaintenanceMode("wait")).toThrow("BUG: unknown mode");
  });
});
