import { describe, expect, it } from "vitest";
import type { ListedMachine } from "../engines/engine.ts";
import { compare } from "./compare.ts";
import type { Expected } from "./resync-store.ts";

const machine = (part: Partial<ListedMachine> = {}): ListedMachine => ({
  id: "a",
  host: "h1",
  power: "running",
  usable: true,
  ...part,
});

const instance = (part: Partial<Expected> = {}): Expected => ({
  ids: "a",
  state: "active",
  health: "ok",
  was_active: true,
  scheduled: false,
  there: false,
  ...part,
});

/** In a page for each. */
async function* pages(...instances: Expected[]): AsyncGenerator<readonly Expected[]> {
  for (const one of instances) yield [one];
}

const nothing = {
  compared: 1,
  astray: [],
  missing: [],
  becameUnreachable: [],
  becameReachable: [],
  orphans: [],
  doubles: [],
};
const listing = (...machines: ListedMachine[]) => ({ machines, unreachableHosts: [] });

describe("comparing what is with what should be", () => {
  it("finds nothing where all is well", async () => {
    const stopped = instance({ ids: "b", state: "stopped" });
    expect(
      await compare(
        listing(machine(), machine({ id: "b", power: "halted", usable: false })),
        pages(instance(), stopped),
      ),
    ).toEqual({ ...nothing, compared: 2 });
  });

  it("finds an active one that halted", async () => {
    expect(await compare(listing(machine({ power: "halted" })), pages(instance()))).toEqual({
      ...nothing,
      astray: ["a"],
    });
  });

  it("finds a stopped one that runs", async () => {
    expect((await compare(listing(machine()), pages(instance({ state: "stopped" })))).astray).toEqual(["a"]);
  });

  it("finds one that is gone, and says that it is", async () => {
    expect(await compare(listing(), pages(instance()))).toEqual({ ...nothing, astray: ["a"], missing: ["a"] });
  });

  it("leaves one alone that reboots", async () => {
    expect(await compare(listing(machine({ power: "starting", usable: false })), pages(instance()))).toEqual(nothing);
  });

  it("leaves alone what reconciler is at already", async () => {
    expect(await compare(listing(), pages(instance({ scheduled: true })))).toEqual(nothing);
  });

  it("concludes nothing about machines of a host that does not answer, but that they cannot be reached", async () => {
    const silent = { machines: [], unreachableHosts: ["h1"] };
    const there = true;
    expect(await compare(silent, pages(instance({ there })))).toEqual({ ...nothing, becameUnreachable: ["a"] });
    expect(await compare(silent, pages(instance({ there, health: "unreachable" })))).toEqual(nothing);
    expect(await compare(silent, pages(instance({ there, state: "terminating" })))).toEqual(nothing);
  });

  it("finds that one can be reached again, also when it is astray", async () => {
    const back = await compare(listing(machine({ power: "halted" })), pages(instance({ health: "unreachable" })));
    expect(back).toEqual({ ...nothing, becameReachable: ["a"], astray: ["a"] });
  });

  it("finds machines without an instance", async () => {
    const stray = machine({ id: "stray" });
    expect(await compare(listing(machine(), stray), pages(instance()))).toEqual({ ...nothing, orphans: [stray] });
  });

  it("finds the same in whatever order both come", async () => {
    const halted = machine({ id: "c", power: "halted" });
    const all = [machine(), machine({ id: "b" }), halted, machine({ id: "stray" }), machine({ id: "e" })];
    const found = { ...nothing, compared: 5, astray: ["c", "d"], missing: ["d"], orphans: [machine({ id: "stray" })] };
    for (const ids of ["a,b,c,d,e", "e,d,c,b,a", "c,a,d,e,b"]) {
      for (const machines of [all, all.toReversed()]) {
        const { astray, ...others } = await compare(listing(...machines), pages(instance({ ids })));
        expect({ astray: astray.toSorted(), ...others }).toEqual(found);
      }
    }
  });

  it("takes an id that is listed twice for one machine", async () => {
    expect(await compare(listing(machine(), machine({ host: "h2" })), pages(instance()))).toMatchObject({
      orphans: [],
    });
  });

  it("goes through 100,000 of each in less than a second", async () => {
    const ids = Array.from({ length: 100_000 }, (_, index) => `${index}`);
    const all = listing(...ids.map((id) => machine({ id })));
    const began = performance.now();
    expect(await compare(all, pages(instance({ ids: ids.join(",") })))).toEqual({ ...nothing, compared: 100_000 });
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
