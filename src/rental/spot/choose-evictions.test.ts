// Which instances are evicted, against all sets that there are.

import { describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { chosenSeed, seeded } from "../../../test/support/random.ts";
import { hostWith, randomHost, timesAfter, typeOf } from "../../../test/support/spot-hosts.ts";
import type { InstanceType } from "../instances/instance.ts";
import { chooseEvictions } from "./choose-evictions.ts";
import type { Evictable, EvictionHost } from "./evictable.ts";

const chosen = (product: InstanceType, quantity: number, hosts: readonly EvictionHost[]) =>
  chooseEvictions({ product, quantity }, hosts)
    ?.flatMap(({ evicted }) => evicted.map(({ id }) => id))
    .sort();

describe("the instances that are evicted", () => {
  const type = typeOf();

  it("are none where it fits, and unknown where it does not whatever is evicted", () => {
    expect(chosen(type, 2, [hostWith({ name: "a", gpus: 2, vcpus: 8, spot: [{ gpuCount: 1 }] })])).toEqual([]);
    expect(chosen(type, 3, [hostWith({ name: "a", gpus: 1, vcpus: 4, spot: [{ gpuCount: 1 }] })])).toBeUndefined();
  });

  it("have the fewest GPUs, and are the youngest of those", () => {
    const [old, large, young] = [{ gpuCount: 1 }, { gpuCount: 2 }, { gpuCount: 1 }];
    const host = hostWith({ name: "a", spot: [old, large, young] });
    const [a, b, c] = host.evictable.map(({ id }) => id);
    expect(chosen(type, 1, [host])).toEqual([c]);
    // Two GPUs either way: of the large one, and of two of which one is the oldest of all.
    expect(chosen(typeOf({ gpus: 2, vcpus: 8, memoryGib: 8 }), 1, [host])).toEqual([b]);
    expect(chosen(type, 3, [host])).toEqual([b, c]);
    expect(chosen(type, 4, [host])).toEqual([a, b, c]);
  });

  it("may be on several hosts of one region, and fill what is free elsewhere there", () => {
    const north = hostWith({ name: "a", spot: [{ gpuCount: 1 }] });
    const alsoNorth = hostWith({ name: "b", gpus: 1, vcpus: 4 });
    const south = hostWith({ name: "c", region: "south", spot: [{ gpuCount: 1 }, { gpuCount: 1 }] });
    const choice = chooseEvictions({ product: type, quantity: 2 }, [south, alsoNorth, north]);
    expect(choice?.map(({ host, times }) => `${times} on ${host.name}`)).toEqual(["1 on b", "1 on a"]);
    expect(chosen(type, 2, [south, north])).toHaveLength(2);
    expect(chosen(type, 3, [south, alsoNorth, north])).toBeUndefined();
  });

  it("are those under notice first, as long as they are of use, and no more of these than needed", () => {
    const notice = { gpuCount: 1, isUnderNotice: true };
    const host = hostWith({ name: "a", spot: [notice, notice, { gpuCount: 1 }] });
    const [, second] = host.evictable.map(({ id }) => id);
    expect(chosen(type, 1, [host])).toEqual([second]);
    const large = hostWith({ name: "b", spot: [{ gpuCount: 4, isUnderNotice: true }, { gpuCount: 1 }] });
    expect(chosen(type, 1, [large])).toEqual([large.evictable[0]?.id]);
  });

  it("are what lacks: no GPU where only CPUs lack, and GPUs of one partition on an NVSwitch board", () => {
    const cpus = hostWith({ name: "a", gpus: 1, spot: [{ gpuCount: 1 }, { gpuCount: 0 }, { gpuCount: 0 }] });
    expect(chosen(type, 1, [cpus])).toEqual([cpus.evictable[2]?.id]);
    // GPUs 0 to 2 are of spot instances, and 3 is not: the only pair is that of 0 and 1.
    const one = { gpuCount: 1 };
    const switched = hostWith({ name: "b", isBoard: true, spot: [one, one, one], others: 1 });
    const [first, second] = switched.evictable.map(({ id }) => id);
    expect(chosen(typeOf({ gpus: 2 }), 1, [switched])).toEqual([first, second]);
  });

  it("leave what is promised to reservations, and are none where it fits until one begins", () => {
    const promise = (unused: number) => ({
      reservation: "one",
      fromMs: 100,
      keptFromMs: 85,
      untilMs: 215,
      unused,
      needs: type,
    });
    const one = { gpuCount: 1 };
    const full = { ...hostWith({ name: "a", spot: [one, one, one, one] }), promised: [promise(2)] };
    const ids = full.evictable.map(({ id }) => id);
    expect([1, 2, 3].map((quantity) => chosen(type, quantity, [full]))).toEqual([ids.slice(1), ids, undefined]);
    const partly = { ...hostWith({ name: "b", gpus: 1, vcpus: 4, spot: [one] }), promised: [promise(1)] };
    const evicted = (endsMs: number | undefined) =>
      chooseEvictions({ product: type, quantity: 1, endsMs }, [partly])?.map((host) => host.evicted.length);
    expect([evicted(85), evicted(86), evicted(undefined)]).toEqual([[0], [1], [1]]);
  });

  it("are the best of all sets, on random hosts", () => {
    const random = seeded(chosenSeed);
    const seen = { none: 0, some: 0, impossible: 0 };
    for (let run = 0; run < sample(400, 5000); run++) {
      const hosts = ["a", "b", "c"].slice(0, 1 + random.below(3)).map((name) => randomHost(random, name, 5));
      const gpus = random.one([0, 1, 1, 1, 2, 4]);
      const product = typeOf({ gpus, gpuModel: gpus === 0 ? null : "H100", vcpus: random.one([1, 4, 9]) });
      const quantity = 1 + random.below(3);
      const best = bestOfAll(product, quantity, hosts);
      expect(chosen(product, quantity, hosts), `run ${run}`).toEqual(best);
      seen[best === undefined ? "impossible" : best.length === 0 ? "none" : "some"] += 1;
    }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(sample(50, 100));
  });

  it("are chosen in time on a host with 16 instances that all differ, and 200 without GPUs", () => {
    const withGpus = Array.from({ length: 16 }, (_, index) => ({ gpuCount: 1, vcpus: index }));
    const spot = [...withGpus, ...Array.from({ length: 200 }, (_, index) => ({ gpuCount: 0, vcpus: index % 7 }))];
    const hosts = ["a", "b", "c", "d"].map((name) => hostWith({ name, spot }));
    const began = performance.now();
    expect(chosen(typeOf({ gpus: 8, vcpus: 160 }), 1, hosts)?.length).toBeGreaterThan(8);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

/** The ids of the best of all sets: the fewest new GPUs, the youngest new ones, the fewest GPUs, the youngest. */
function bestOfAll(product: InstanceType, quantity: number, hosts: readonly EvictionHost[]): string[] | undefined {
  const sets = [...new Set(hosts.map(({ region }) => region))].flatMap((region) => {
    const here = hosts.filter((host) => host.region === region);
    return setsOf(here.flatMap(({ evictable }) => evictable)).filter((set) => {
      const times = here.map((host) =>
        timesAfter(
          host,
          set.filter((one) => host.evictable.includes(one)),
          product,
        ),
      );
      return times.reduce((sum, some) => sum + some, 0) >= quantity;
    });
  });
  const [best] = sets.sort((a, b) => {
    const [newA, newB] = [a, b].map((set) => set.filter(({ isUnderNotice }) => !isUnderNotice)) as [
      Evictable[],
      Evictable[],
    ];
    return gpusOf(newA) - gpusOf(newB) || age(newA, newB) || gpusOf(a) - gpusOf(b) || age(a, b);
  });
  return best?.map(({ id }) => id).sort();
}

const gpusOf = (set: readonly Evictable[]) => set.reduce((sum, { gpuCount }) => sum + gpuCount, 0);

/** Negative: the oldest that is in one of them only is in the second. */
function age(a: readonly Evictable[], b: readonly Evictable[]): number {
  const only = [...a.filter((one) => !b.includes(one)), ...b.filter((one) => !a.includes(one))];
  const [oldest] = only.sort((one, other) => one.position - other.position);
  if (oldest === undefined) return 0;
  return a.includes(oldest) ? 1 : -1;
}

function setsOf<T>(all: readonly T[]): T[][] {
  const [first, ...rest] = all;
  if (first === undefined) return [[]];
  const others = setsOf(rest);
  return [...others, ...others.map((set) => [first, ...set])];
}
