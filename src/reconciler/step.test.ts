// The table of steps, cell by cell, against what must be true of any such table.

import { describe, expect, it } from "vitest";
import type { MachineReport } from "../engines/engine.ts";
import {
  afterObservation,
  holdsCapacity,
  isBooting,
  isLive,
  isReady,
  mayRun,
  type State,
  states,
  statesWhere,
} from "../rules/lifecycle.ts";
import {
  type Action,
  bootFailure,
  copiesIn,
  nextStep,
  type ObservedState,
  observedStateOf,
  observedStates,
  stepsToDown,
} from "./step.ts";

const cells = states.flatMap((state) =>
  observedStates.map((sight) => ({ state, sight, action: nextStep(state, sight) })),
);

const facts: readonly Action[] = ["ready", "halted", "vanished"];

describe("the table of steps", () => {
  it("has an action for every state and every sight", () => {
    expect(cells).toHaveLength(states.length * observedStates.length);
    for (const { action } of cells) expect(action).toBeDefined();
  });

  it.each(cells.filter(({ action }) => facts.includes(action)))(
    "records $action of a machine that is $sight only where the lifecycle knows it: $state",
    ({ state, action }) => {
      expect(afterObservation(state, action as "ready" | "halted" | "vanished")).toBeDefined();
    },
  );

  it.each(cells.filter(({ state }) => isLive[state]))(
    "never removes anything of one that is $state ($sight)",
    ({ action }) => {
      expect(action).not.toBe("remove");
    },
  );

  it("starts a machine only to boot it, and never while it should be down", () => {
    const starting = new Set(cells.filter(({ action }) => action === "start").map(({ state }) => state));
    expect([...starting]).toEqual(statesWhere(isBooting));
  });

  it("tells a guest what it waits for by starting it once more, while it boots and at no other time", () => {
    for (const { state, sight, action } of cells.filter((cell) => cell.sight === "untold")) {
      if (state === "booting") expect([sight, action]).toEqual(["untold", "start"]);
      else expect(action).toBe(nextStep(state, "running"));
    }
  });

  it("never stops a machine that should be up", () => {
    const stopping = new Set(cells.filter(({ action }) => action === "stop").map(({ state }) => state));
    expect([...stopping]).toEqual(states.filter((state) => isLive[state] && !isBooting[state] && !isReady[state]));
  });

  it("makes a machine only where none was ever used", () => {
    for (const { sight } of cells.filter(({ action }) => action === "create")) expect(sight).toBe("unmade");
  });

  it("ends a rental only where a machine that was used is gone", () => {
    const ended = cells.filter(({ action, state }) => action === "vanished" && state !== "active");
    for (const { sight } of ended) expect(sight).toBe("missing");
  });

  it("comes to an end: what each action makes true leads on, from any state and sight, until there is nothing to do", () => {
    for (const start of cells) {
      let { state, sight } = start;
      for (let turn = 0; ; turn++) {
        expect(turn, `${start.state}, ${start.sight}`).toBeLessThan(8);
        const action = nextStep(state, sight);
        if (action === "settle") break;
        if (action === "remove") state = "terminated";
        else if (action === "wait") sight = "usable";
        else if (action === "create" || action === "stop") sight = "halted";
        else if (action === "start") sight = "starting";
        else if (facts.includes(action))
          state = afterObservation(state, action as "ready" | "halted" | "vanished") ?? state;
        else throw new Error(`${action} is of a move`);
      }
    }
  });
});

describe("the steps of a reboot, before the machine was down", () => {
  const toDown = observedStates.map((sight) => ({ sight, action: nextStep("booting", sight, { haltsFirst: true }) }));

  it("have an action for every sight, whatever it runs as", () => {
    expect(Object.fromEntries(toDown.map(({ sight, action }) => [sight, action]))).toEqual(stepsToDown);
    expect(Object.keys(stepsToDown)).toEqual([...observedStates]);
  });

  it("never take a machine that still runs for one that has rebooted", () => {
    expect(toDown.map(({ action }) => action)).not.toContain("ready");
    for (const sight of ["starting", "running", "untold", "usable"] as const) expect(stepsToDown[sight]).toBe("stop");
  });

  it("end where it is down, which the lifecycle takes for a boot, or where it is gone", () => {
    expect(stepsToDown.halted).toBe("down");
    expect(afterObservation("booting", "down")).toBe("booting");
    expect(stepsToDown.missing).toBe(nextStep("booting", "missing"));
    expect(toDown.map(({ action }) => action)).not.toContain("settle");
    expect(toDown.map(({ action }) => action)).not.toContain("wait");
  });
});

describe("the steps of a move", () => {
  const copying = (state: State) => observedStates.map((sight) => nextStep(state, sight, { moveWork: "copy" }));

  it.each(states.filter((state) => copiesIn[state]))(
    "never start, stop or end a machine that is copied: %s",
    (state) => {
      expect(new Set(copying(state))).toEqual(new Set(["change-host", "move", "give-up"]));
      expect(nextStep(state, "halted", { moveWork: "copy" })).toBe("move");
    },
  );

  it("are as without one in every other state", () => {
    for (const state of states.filter((one) => !copiesIn[one]))
      expect(copying(state)).toEqual(observedStates.map((sight) => nextStep(state, sight)));
  });

  it("copy where the machine is down for long, or waits to start, and nowhere else", () => {
    expect(states.filter((state) => copiesIn[state])).toEqual(
      states.filter((state) => isLive[state] && (isBooting[state] || !mayRun[state])),
    );
  });

  it("remove the second copy where there is nothing else to do, of what has not ended", () => {
    for (const state of states) {
      for (const sight of observedStates) {
        const usual = nextStep(state, sight);
        const isRemoved = usual === "settle" && holdsCapacity[state];
        expect(nextStep(state, sight, { moveWork: "remove" })).toBe(isRemoved ? "remove-copy" : usual);
      }
    }
  });

  it("wait for a machine that is to be halted first", () => {
    expect(nextStep("booting", "usable", { haltsFirst: true, moveWork: "copy" })).toBe("stop");
  });
});

describe("what is seen of a machine", () => {
  const report = (part: Partial<MachineReport>): MachineReport => ({
    id: "1",
    host: "h",
    power: "running",
    usable: true,
    ip: "10.0.0.1",
    progress: undefined,
    ...part,
  });
  const cases: [what: string, report: MachineReport | undefined, wasActive: boolean, sight: ObservedState][] = [
    ["none, never active", undefined, false, "unmade"],
    ["none, once active", undefined, true, "missing"],
    ["halted", report({ power: "halted", usable: false }), true, "halted"],
    ["starting", report({ power: "starting", usable: false }), true, "starting"],
    ["running and usable", report({}), false, "usable"],
    ["running, and not answering", report({ usable: false }), true, "running"],
    ["running, and waiting to be told", report({ usable: false, untold: true }), false, "untold"],
    ["usable by its own word, and waiting to be told", report({ untold: true }), false, "untold"],
    ["halted, whatever it waits for", report({ power: "halted", usable: false, untold: true }), false, "halted"],
    ["usable by its own word, without an address", report({ ip: undefined }), true, "running"],
  ];
  it.each(cases)("%s", (_what, seen, wasActive, sight) => expect(observedStateOf(seen, wasActive)).toBe(sight));
});

describe("a boot that failed for good", () => {
  it("removes what was never active, and keeps what was", () => {
    expect(bootFailure("booting", false)).toBe("launchFailed");
    expect(bootFailure("booting", true)).toBe("startFailed");
  });

  it("removes what is stopped before it was ever active", () => {
    expect(bootFailure("stopping", false)).toBe("launchFailed");
  });

  it("is nothing that an instance with data, or one that goes, could suffer", () => {
    for (const state of states.filter((one) => one !== "booting")) expect(bootFailure(state, true)).toBeUndefined();
    expect(bootFailure("terminating", false)).toBeUndefined();
  });
});
