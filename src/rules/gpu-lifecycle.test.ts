// The tables of GPUs against what is decided and against each other. The database's: src/rental/gpus/gpus.test.ts.

import { describe, expect, it } from "vitest";
import {
  afterGpuTransition,
  asGpuState,
  asHandover,
  asWarningMeaning,
  type GpuTransition,
  gpuActions,
  gpuStates,
  gpuStatesWhere,
  gpuTraits,
  gpuTransitions,
  handovers,
  handoverTraits,
  warningMeanings,
} from "./gpu-lifecycle.ts";

/** Decided: from each state, in the order of gpuStates (free, held, sanitizing, validating, quarantined). */
const decided: Readonly<Record<GpuTransition, readonly (string | undefined)[]>> = {
  take: ["held", undefined, undefined, undefined, undefined],
  sanitized: [undefined, undefined, "free", undefined, undefined],
  "sanitized, to validate": [undefined, undefined, "validating", undefined, undefined],
  passed: [undefined, undefined, undefined, "free", undefined],
  failed: [undefined, undefined, "quarantined", "quarantined", undefined],
  quarantine: ["quarantined", "held", "quarantined", "quarantined", "quarantined"],
  retest: [undefined, undefined, undefined, undefined, "sanitizing"],
  validate: ["validating", undefined, undefined, undefined, "sanitizing"],
  release: [undefined, "held", undefined, undefined, "free"],
  "release, to reset": [undefined, "held", undefined, undefined, "sanitizing"],
};

describe("the transitions of a GPU", () => {
  it.each(Object.entries(decided))("%s leads where it is decided", (transition, row) => {
    // The key of a table of transitions.
    expect(gpuStates.map((state) => afterGpuTransition(state, transition as GpuTransition))).toEqual(row);
  });

  it("are all decided, and lead from held to free by no way but the policy", () => {
    expect(Object.keys(decided).sort()).toEqual(Object.keys(gpuTransitions).sort());
    for (const row of Object.values(decided)) expect(row[gpuStates.indexOf("held")]).not.toBe("free");
    expect(handovers.filter((handover) => handoverTraits[handover].leadsTo === "free")).toEqual(["none"]);
    expect(gpuActions.every((action) => action in gpuTransitions)).toBe(true);
  });
});

describe("the states of a GPU", () => {
  it("offer only free ones, and bill only held ones", () => {
    expect(gpuStatesWhere((traits) => traits.isOffered)).toEqual(["free"]);
    expect(gpuStatesWhere((traits) => traits.isHeld)).toEqual(["held"]);
    expect(gpuStatesWhere((traits) => traits.returns)).toEqual(["sanitizing", "validating"]);
    for (const state of gpuStates) expect(gpuTraits[state].meaning).toMatch(/\.$/);
  });

  it("are narrowed from stored words, and nothing else is", () => {
    expect(gpuStates.map(asGpuState)).toEqual(gpuStates);
    expect(handovers.map(asHandover)).toEqual(handovers);
    expect(() => asGpuState("lost")).toThrow("BUG: unknown state of a GPU");
    expect(warningMeanings.map(asWarningMeaning)).toEqual(warningMeanings);
    expect(() => asWarningMeaning("ask")).toThrow("BUG: unknown meaning of a warning");
    expect(() => asHandover("wipe")).toThrow("BUG: unknown policy of a GPU");
  });
});
