import { describe, expect, it } from "vitest";
import {
  actions,
  afterAction,
  afterObservation,
  asState,
  bill,
  entries,
  finalState,
  holdsCapacity,
  type InstanceAction,
  initialState,
  isBilled,
  isBooting,
  isLive,
  isReady,
  isTransient,
  mayRun,
  type Observation,
  observations,
  type State,
  states,
  statesEnteredBy,
  statesWhere,
} from "./lifecycle.ts";

// The decisions page's own tables, written out again by hand: the code's tables must say the same.
const decided: Record<InstanceAction, Record<State, State | "refused">> = {
  stop: {
    booting: "stopping",
    active: "stopping",
    stopping: "stopping",
    stopped: "stopped",
    terminating: "refused",
    terminated: "refused",
  },
  restart: {
    booting: "refused",
    active: "refused",
    stopping: "refused",
    stopped: "booting",
    terminating: "refused",
    terminated: "refused",
  },
  reboot: {
    booting: "booting",
    active: "booting",
    stopping: "refused",
    stopped: "booting",
    terminating: "refused",
    terminated: "refused",
  },
  terminate: {
    booting: "terminating",
    active: "terminating",
    stopping: "terminating",
    stopped: "terminating",
    terminating: "terminating",
    terminated: "terminated",
  },
};

const everyWish = Object.keys(actions) as InstanceAction[];
const everyFact = Object.keys(observations) as Observation[];

describe("a wish", () => {
  for (const wish of everyWish) {
    for (const state of states) {
      it(`${wish} of a ${state} instance: ${decided[wish][state]}`, () => {
        expect(afterAction(state, wish) ?? "refused").toBe(decided[wish][state]);
      });
    }
  }

  it("can be repeated safely when it is stop or terminate: a second one changes nothing more", () => {
    for (const wish of ["stop", "terminate"] as const) {
      for (const state of states) {
        const once = afterAction(state, wish);
        if (once !== undefined) expect(afterAction(once, wish)).toBe(once);
      }
    }
  });

  it("never brings a terminated instance back", () => {
    for (const wish of everyWish) {
      for (const state of ["terminating", "terminated"] as const) {
        expect([undefined, "terminating", "terminated"]).toContain(afterAction(state, wish));
      }
    }
  });
});

describe("a fact", () => {
  it("leads only to known states and never out of terminated", () => {
    for (const fact of everyFact) {
      expect(afterObservation("terminated", fact)).toBeUndefined();
      for (const state of states) {
        const next = afterObservation(state, fact);
        if (next !== undefined) expect(states).toContain(next);
      }
    }
  });

  it("reaches terminated only through the engine's confirmation, or with a lost host", () => {
    for (const fact of everyFact) {
      for (const state of states) {
        if (afterObservation(state, fact) === "terminated") expect(["removed", "hostLost"]).toContain(fact);
      }
    }
  });

  it("never undoes a wish to terminate", () => {
    for (const fact of everyFact) expect([undefined, "terminated"]).toContain(afterObservation("terminating", fact));
  });
});

describe("the table", () => {
  it("leaves no state without a way to terminated, and none but terminated without a way on", () => {
    const next = (state: State): State[] =>
      [
        ...everyWish.map((wish) => afterAction(state, wish)),
        ...everyFact.map((fact) => afterObservation(state, fact)),
      ].flatMap((one) => (one === undefined || one === state ? [] : [one]));
    for (const start of states) {
      const seen = new Set<State>([start]);
      for (const state of seen) for (const one of next(state)) seen.add(one);
      expect(seen).toContain("terminated");
      expect(next(start).length === 0).toBe(start === "terminated");
    }
  });

  it("reaches every state from the first one", () => {
    const seen = new Set<State>([initialState]);
    for (const state of seen) {
      for (const wish of everyWish) seen.add(afterAction(state, wish) ?? state);
      for (const fact of everyFact) seen.add(afterObservation(state, fact) ?? state);
    }
    expect([...seen].sort()).toEqual([...states].sort());
  });

  it("frees capacity in terminated alone, and lists as live what is not being removed", () => {
    expect(statesWhere(holdsCapacity)).toEqual(states.filter((state) => state !== "terminated"));
    expect(statesWhere(isLive)).toEqual(["booting", "active", "stopping", "stopped"]);
  });

  it("opens the bill at whatever leads to active or stopped, and closes it at everything that ends a rental", () => {
    for (const fact of everyFact) {
      const leads = states.some((state) => ["active", "stopped"].includes(afterObservation(state, fact) ?? ""));
      expect(new Map<string, string>(Object.entries(bill)).get(fact) === "opens if never opened", fact).toBe(leads);
    }
    // A wish only leads to stopped what is stopped already.
    for (const wish of everyWish) {
      for (const state of states) {
        if (state !== "stopped") expect(["active", "stopped"]).not.toContain(afterAction(state, wish));
      }
    }
    const ending = [...everyWish, ...everyFact].filter((name) =>
      states.some(
        (state) =>
          isLive[state] &&
          (name in actions
            ? afterAction(state, name as InstanceAction)
            : afterObservation(state, name as Observation)) === "terminating",
      ),
    );
    for (const name of ending) expect(bill).toHaveProperty(name, "closes");
    for (const state of states.filter((one) => isLive[one]))
      expect(afterObservation(state, "hostLost")).toBe(finalState);
    expect(bill.hostLost).toBe("closes in the past");
  });

  it("begins and ends in the states that are named for it", () => {
    const leaves = (state: State) =>
      [
        ...everyWish.map((wish) => afterAction(state, wish)),
        ...everyFact.map((fact) => afterObservation(state, fact)),
      ].some((next) => next !== undefined && next !== state);
    expect(states.filter((state) => !leaves(state))).toEqual([finalState]);
    expect(statesEnteredBy(actions)).toContain(initialState);
  });

  it("says of a state that passes by itself where it passes to, and that only what boots becomes ready", () => {
    for (const state of states) {
      const leads = everyFact.map((fact) => afterObservation(state, fact)).filter((next) => next !== undefined);
      if (isTransient[state])
        expect(
          leads.some((next) => next !== state),
          state,
        ).toBe(true);
      expect(afterObservation(state, "ready") !== undefined, state).toBe(isBooting[state]);
      if (isBooting[state]) expect(isReady[afterObservation(state, "ready") ?? state]).toBe(true);
      if (isReady[state] || isBooting[state]) expect(mayRun[state]).toBe(true);
    }
  });

  it("has a bill exactly where an instance is live, unless it boots for the first time", () => {
    for (const state of states) {
      expect(isBilled(state, true)).toBe(isLive[state]);
      expect(isBilled(state, false)).toBe(isLive[state] && !isBooting[state]);
    }
  });

  it("writes the time of an end with the end", () => {
    expect(statesEnteredBy(observations)).toEqual(["active", "stopped", "terminating", "terminated"]);
    expect(statesEnteredBy(actions)).toEqual(["booting", "stopping", "terminating"]);
    const writes = (column: string) => states.filter((state) => column in entries[state]);
    // Where an instance is live no longer, that began; and it is on whose behalf that stays.
    expect(writes("terminating_at")).toEqual(states.filter((state) => !isLive[state]));
    expect(writes("ended_by")).toEqual(writes("terminating_at"));
    expect(writes("terminated_at")).toEqual([finalState]);
    expect(writes("active_at")).toEqual(states.filter((state) => isReady[state]));
    // Where billing begins, a launch waits for capacity of its engine no longer.
    for (const column of ["waits_until", "room_try_at"]) expect(writes(column)).toEqual(["active", "stopped"]);
  });

  it("knows its own words and no other", () => {
    for (const state of states) expect(asState(state)).toBe(state);
    expect(() => asState("rented")).toThrow("BUG");
  });
});
