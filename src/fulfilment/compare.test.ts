import { describe, expect, it } from "vitest";
import type { MachineReport } from "../engines/engine.ts";
import { compare } from "./compare.ts";
import type { Expected } from "./sweep-store.ts";

const machine = (part: Partial<MachineReport> = {}): MachineReport => ({
  id: "a",
  host: "h1",
  power: "running",
  usable: true,
  ip: "10.0.0.1",
  progress: undefined,
  ...part,
});

const instance = (part: Partial<Expected> = {}): Expected => ({
  id: "a",
  host: "h1",
  state: "active",
  health: "ok",
  was_active: true,
  scheduled: false,
  ...part,
});

const nothing = { astray: [], missing: [], becameUnreachable: [], becameReachable: [], orphans: [] };
const listing = (...machines: MachineReport[]) => ({ machines, unreachableHosts: [] });

describe("comparing what is with what should be", () => {
  it("finds nothing where all is well", () => {
    const stopped = instance({ id: "b", state: "stopped" });
    expect(
      compare(listing(machine(), machine({ id: "b", power: "halted", usable: false })), [instance(), stopped]),
    ).toEqual(nothing);
  });

  it("finds an active one that halted", () => {
    expect(compare(listing(machine({ power: "halted" })), [instance()])).toEqual({ ...nothing, astray: ["a"] });
  });

  it("finds a stopped one that runs", () => {
    expect(compare(listing(machine()), [instance({ state: "stopped" })]).astray).toEqual(["a"]);
  });

  it("finds one that is gone, and says that it is", () => {
    expect(compare(listing(), [instance()])).toEqual({ ...nothing, astray: ["a"], missing: ["a"] });
  });

  it("leaves one alone that reboots", () => {
    expect(compare(listing(machine({ power: "starting", usable: false })), [instance()])).toEqual(nothing);
  });

  it("leaves alone what fulfilment is at already", () => {
    expect(compare(listing(), [instance({ scheduled: true })])).toEqual(nothing);
  });

  it("concludes nothing about machines of a host that does not answer, but that they cannot be reached", () => {
    const silent = { machines: [], unreachableHosts: ["h1"] };
    expect(compare(silent, [instance()])).toEqual({ ...nothing, becameUnreachable: ["a"] });
    expect(compare(silent, [instance({ health: "unreachable" })])).toEqual(nothing);
    expect(compare(silent, [instance({ state: "terminating" })])).toEqual(nothing);
  });

  it("finds that one can be reached again, also when it is astray", () => {
    const back = compare(listing(machine({ power: "halted" })), [instance({ health: "unreachable" })]);
    expect(back).toEqual({ ...nothing, becameReachable: ["a"], astray: ["a"] });
  });

  it("finds machines without an instance", () => {
    const stray = machine({ id: "stray" });
    expect(compare(listing(machine(), stray), [instance()])).toEqual({ ...nothing, orphans: [stray] });
  });

  it("goes through 100,000 of each in less than a second", () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => `${index}`);
    const all = listing(...ids.map((id) => machine({ id })));
    const expected = ids.map((id) => instance({ id }));
    const began = performance.now();
    expect(compare(all, expected)).toEqual(nothing);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
