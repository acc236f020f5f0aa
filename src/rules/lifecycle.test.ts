import { describe, expect, it } from "vitest";
import {
  afterFact,
  afterWish,
  asState,
  bill,
  type Fact,
  facts,
  holdsCapacity,
  initialState,
  isLive,
  type State,
  states,
  statesWhere,
  type Wish,
  wishes,
} from "./lifecycle.ts";

// The decisions page's own tables, written out again by hand: the code's tables must say the same.
const decided: Record<Wish, Record<State, State | "refused">> = {
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

const everyWish = Object.keys(wishes) as Wish[];
const everyFact = Object.keys(facts) as Fact[];

describe("a wish", () => {
  for (const wish of everyWish) {
    for (const state of states) {
      it(`${wish} of a ${state} instance: ${decided[wish][state]}`, () => {
        expect(afterWish(state, wish) ?? "refused").toBe(decided[wish][state]);
      });
    }
  }

  it("can be repeated safely when it is stop or terminate: a second one changes nothing more", () => {
    for (const wish of ["stop", "terminate"] as const) {
      for (const state of states) {
        const once = afterWish(state, wish);
        if (once !== undefined) expect(afterWish(once, wish)).toBe(once);
      }
    }
  });

  it("never brings a terminated instance back", () => {
    for (const wish of everyWish) {
      for (const state of ["terminating", "terminated"] as const) {
        expect([undefined, "terminating", "terminated"]).toContain(afterWish(state, wish));
      }
    }
  });
});

describe("a fact", () => {
  it("leads only to known states and never out of terminated", () => {
    for (const fact of everyFact) {
      expect(afterFact("terminated", fact)).toBeUndefined();
      for (const state of states) {
        const next = afterFact(state, fact);
        if (next !== undefined) expect(states).toContain(next);
      }
    }
  });

  it("reaches terminated only through the engine's confirmation", () => {
    for (const fact of everyFact) {
      for (const state of states) {
        if (afterFact(state, fact) === "terminated") expect(fact).toBe("removed");
      }
    }
  });

  it("never undoes a wish to terminate", () => {
    for (const fact of everyFact) expect([undefined, "terminated"]).toContain(afterFact("terminating", fact));
  });
});

describe("the table", () => {
  it("leaves no state without a way to terminated, and none but terminated without a way on", () => {
    const next = (state: State): State[] =>
      [...everyWish.map((wish) => afterWish(state, wish)), ...everyFact.map((fact) => afterFact(state, fact))].flatMap(
        (one) => (one === undefined || one === state ? [] : [one]),
      );
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
      for (const wish of everyWish) seen.add(afterWish(state, wish) ?? state);
      for (const fact of everyFact) seen.add(afterFact(state, fact) ?? state);
    }
    expect([...seen].sort()).toEqual([...states].sort());
  });

  it("frees capacity in terminated alone, and lists as live what is not being removed", () => {
    expect(statesWhere(holdsCapacity)).toEqual(states.filter((state) => state !== "terminated"));
    expect(statesWhere(isLive)).toEqual(["booting", "active", "stopping", "stopped"]);
  });

  it("opens the bill at whatever leads to active or stopped, and closes it at everything that ends a rental", () => {
    for (const fact of everyFact) {
      const leads = states.some((state) => ["active", "stopped"].includes(afterFact(state, fact) ?? ""));
      expect(new Map<string, string>(Object.entries(bill)).get(fact) === "opens if never opened", fact).toBe(leads);
    }
    // A wish only leads to stopped what is stopped already.
    for (const wish of everyWish) {
      for (const state of states) {
        if (state !== "stopped") expect(["active", "stopped"]).not.toContain(afterWish(state, wish));
      }
    }
    const ending = [...everyWish, ...everyFact].filter((name) =>
      states.some(
        (state) =>
          isLive[state] &&
          (name in wishes ? afterWish(state, name as Wish) : afterFact(state, name as Fact)) === "terminating",
      ),
    );
    for (const name of ending) expect(bill).toHaveProperty(name, "closes");
  });

  it("knows its own words and no other", () => {
    for (const state of states) expect(asState(state)).toBe(state);
    expect(() => asState("rented")).toThrow("BUG");
  });
});
