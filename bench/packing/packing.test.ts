import { describe, expect, it } from "vitest";
import { sample } from "../../test/support/extent.ts";
import { fc } from "../../test/support/properties.ts";
import { Arena, typeOf } from "./arena.ts";
import { replayFleet } from "./fleet.ts";
import { mostGpus } from "./most-gpus.ts";
import { replayWaiting } from "./waiting.ts";

const ofGpus = (gpus: number, vcpus = gpus * 1000) =>
  typeOf({ name: `${gpus}`, gpuModel: "H100", gpus, vcpus, memoryGib: gpus });
const host = { model: "H100", gpusByNode: [2, 2], vcpus: 4000, memoryGib: 4, count: 1 };

describe("the arena", () => {
  it("places until nothing fits, says how many NUMA nodes a launch is of, and has room again for what ended", () => {
    const arena = new Arena([host], [ofGpus(1)]);
    const one = arena.launch(ofGpus(1));
    const three = arena.launch(ofGpus(3));
    expect([one?.nodes, three?.nodes]).toEqual([1, 2]);
    expect(arena.launch(ofGpus(1))).toBeUndefined();
    for (const placed of [one, three]) if (placed !== undefined) arena.end(placed);
    expect(arena.launch(ofGpus(4))?.gpuAddresses.toSorted()).toEqual(["0:0", "0:1", "1:0", "1:1"]);
  });

  it("minds the CPU too", () => {
    const arena = new Arena([host], []);
    expect(arena.launch(ofGpus(1, 4001))).toBeUndefined();
    expect(arena.launch(ofGpus(1, 4000))).toBeDefined();
    expect(arena.launch(ofGpus(1))).toBeUndefined();
  });
});

describe("the most that any placement can allocate", () => {
  it("minds the sizes of hosts", () => {
    const hosts = [{ ...host, gpusByNode: [2], count: 3 }];
    expect(mostGpus([ofGpus(4), ofGpus(2)], hosts, 2)).toBeCloseTo(2, 1);
  });

  it("minds the CPU of each host, not only of all", () => {
    // Two thirds of a host's CPU each: one a host.
    const launches = Array.from({ length: 6 }, () => ofGpus(1, 3000));
    expect(mostGpus(launches, [{ ...host, count: 3 }], 3)).toBeCloseTo(3, 1);
  });

  it("is never below what was placed", () => {
    const anyLaunch = fc.tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(fc.array(anyLaunch, { maxLength: 30 }), fc.integer({ min: 1, max: 5 }), (asked, count) => {
        const launches = asked.map(([gpus, cores]) => ({ ...ofGpus(gpus, cores * 1000), memoryGib: 0 }));
        const hosts = [{ ...host, count }];
        const arena = new Arena(hosts, launches);
        const placed = launches.filter((launch) => arena.launch(launch) !== undefined);
        const reached = placed.reduce((sum, { gpus }) => sum + gpus, 0);
        expect(mostGpus(launches, hosts, reached)).toBeGreaterThanOrEqual(reached - 1e-9);
      }),
      { numRuns: sample(10, 100) },
    );
  });
});

describe("spot instances", () => {
  it("are evicted for launches that wait, as few as are needed, and never from a host that is kept for another", () => {
    const arena = new Arena([{ ...host, count: 2 }], [ofGpus(1)]);
    for (let left = 8; left > 0; left--) expect(arena.launchSpot(ofGpus(1))).toBeDefined();
    expect(arena.launchSpot(ofGpus(1))).toBeUndefined();
    expect(arena.evictFor(5, ofGpus(2))).toHaveLength(2);
    expect(arena.launch(ofGpus(2), { position: 5 })).toBeDefined();
    arena.keep(6, ofGpus(4));
    expect(arena.evictFor(7, ofGpus(4))).toBeUndefined();
    expect(arena.evictFor(6, ofGpus(4))).toHaveLength(4);
  });

  it("sell what launches leave, and take nothing of theirs but the time of notices", () => {
    const replay = { load: 0.9, launches: 600, seed: 1 };
    const [without, with_] = [replayWaiting(replay), replayWaiting({ ...replay, withSpot: true })];
    expect(without.spot).toBe(0);
    expect(with_.sold).toBeGreaterThan(without.sold - 1);
    expect(with_.sold + with_.spot).toBeGreaterThan(97);
  });
});

describe("the order of hosts", () => {
  const replay = () => replayFleet({ load: 0.9, launches: 20_000, seed: 1 });

  it("sells almost what could be sold with moves, and splits few launches over NUMA nodes", () => {
    const { sold, soldWithMoves, split } = replay();
    expect(sold / soldWithMoves).toBeGreaterThan(0.985);
    expect(split).toBeLessThan(3);
  });

  it("gives the same figures for the same seed", () => {
    expect(replay()).toEqual(replay());
  });

  it("sells more if what does not fit waits, and the large launches do not wait in vain", () => {
    const full = { load: 0.95, launches: 20_000, seed: 1 };
    const { sold, expired8 } = replayWaiting(full);
    const without = replayFleet(full);
    expect(sold - without.sold).toBeGreaterThan(2);
    expect(expired8).toBeLessThan(without.refused8 / 4);
  });
});
