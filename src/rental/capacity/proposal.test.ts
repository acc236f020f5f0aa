// Which hosts are proposed: as few as launches need, the best ones, and none that was proposed in vain.

import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { anyHost, anyProduct, regionNames, roomOf } from "../../../test/support/random-hosts.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { PlacementRequest } from "./assign.ts";
import { HostOrder } from "./host-order.ts";
import { propose } from "./proposal.ts";
import { howManyFit } from "./requirements.ts";

/** Hosts with plenty but for their free H100, by "region/name". */
function orderOf(gpusOf: Record<string, number>, freeVcpus = 800): HostOrder {
  const order = new HostOrder();
  for (const [place, gpus] of Object.entries(gpusOf)) {
    const [region = "", name = ""] = place.split("/");
    const pools = new Map(gpus > 0 ? [["H100", { total: 9, free: gpus, freeByNode: [gpus] }]] : []);
    order.add({
      name,
      engine: "simulated",
      region,
      freeVcpus,
      freeMemoryGib: 8000,
      freeStorageGb: 80_000,
      gpus: pools,
    });
  }
  return order;
}

function want(gpus: number, quantity = 1, region?: string): PlacementRequest {
  const words = {
    name: `${gpus}`,
    description: "",
    gpuDescription: "",
    priceCentsPerHour: 1,
    spotPriceCentsPerHour: null,
  };
  const gpuModel = gpus === 0 ? null : "H100";
  const product: InstanceType = {
    ...words,
    gpuModel,
    gpus,
    vcpus: 8,
    memoryGib: 64,
    storageGb: 500,
    architecture: "x86_64",
  };
  return wantOf(product, quantity, region);
}

const wantOf = (product: InstanceType, quantity: number, region: string | undefined): PlacementRequest => {
  return { product, region, instanceIds: Array.from({ length: quantity }, (_, index) => `instance-${index}`) };
};

const proposed = (order: HostOrder, wants: readonly PlacementRequest[], leftOut: readonly string[] = []) =>
  [...propose(order, wants, new Set(leftOut))].sort();

describe("for one launch", () => {
  const order = orderOf({ "north/eight": 8, "north/two": 2, "north/one": 1 });

  it("the best host is proposed, and no other", () => {
    expect(proposed(order, [want(1)])).toEqual(["one"]);
    expect(proposed(order, [want(2)])).toEqual(["two"]);
    expect(proposed(order, [want(3)])).toEqual(["eight"]);
  });

  it("the next best is, where the best is left out", () => {
    expect(proposed(order, [want(1)], ["one"])).toEqual(["two"]);
    expect(proposed(order, [want(1)], ["one", "two"])).toEqual(["eight"]);
    expect(proposed(order, [want(1)], ["one", "two", "eight"])).toEqual([]);
  });

  it("none is where none has room", () => {
    expect(proposed(order, [want(9)])).toEqual([]);
    expect(proposed(order, [want(1, 1, "nowhere")])).toEqual([]);
    expect(proposed(new HostOrder(), [want(0)])).toEqual([]);
  });

  it("as many are as its quantity needs, the best first", () => {
    expect(proposed(order, [want(1, 3)])).toEqual(["one", "two"]);
    expect(proposed(order, [want(1, 4)])).toEqual(["eight", "one", "two"]);
    expect(proposed(order, [want(1, 11)])).toEqual(["eight", "one", "two"]);
  });

  it("none is where all of them together have too little: no lock is taken in vain", () => {
    expect(proposed(order, [want(1, 12)])).toEqual([]);
  });
});

describe("the region", () => {
  const order = orderOf({ "best/one": 1, "better/a": 2, "better/b": 2, "enough/six": 6 });

  it("is the one asked for", () => {
    expect(proposed(order, [want(1, 1, "enough")])).toEqual(["six"]);
    expect(proposed(order, [want(1, 2, "best")])).toEqual([]);
  });

  it("is the best one that has room for all where any will do, never several", () => {
    expect(proposed(order, [want(1)])).toEqual(["one"]);
    expect(proposed(order, [want(1, 3)])).toEqual(["a", "b"]);
    expect(proposed(order, [want(1, 5)])).toEqual(["six"]);
    expect(proposed(order, [want(1, 7)])).toEqual([]);
  });
});

describe("for many launches", () => {
  it("a host is proposed for as many as it has room for, and then the next", () => {
    const order = orderOf({ "north/a": 4, "north/b": 4, "north/c": 4 });
    const ones = (count: number) => Array.from({ length: count }, () => want(1));
    expect(proposed(order, ones(4))).toEqual(["a"]);
    expect(proposed(order, ones(5))).toEqual(["a", "b"]);
    expect(proposed(order, ones(9))).toEqual(["a", "b", "c"]);
    expect(proposed(order, ones(50))).toEqual(["a", "b", "c"]);
  });

  it("of different products, what one takes is not there for another", () => {
    const order = orderOf({ "north/a": 4, "north/b": 8 }, 16);
    // Two without GPUs take all the vCPUs of a, which then has GPUs that nobody can use.
    expect(proposed(order, [want(0), want(0)])).toEqual(["a"]);
    expect(proposed(order, [want(0), want(0), want(1)])).toEqual(["a", "b"]);
  });

  it("one that has no room anywhere takes nothing from the others", () => {
    const order = orderOf({ "north/a": 4 });
    expect(proposed(order, [want(1, 5), want(4)])).toEqual(["a"]);
  });

  it("nothing is changed by proposing: the same is proposed again", () => {
    const order = orderOf({ "north/a": 2, "south/b": 2 });
    const wants = [want(1, 2), want(2), want(1)];
    expect(proposed(order, wants)).toEqual(proposed(order, wants));
    expect([...order.bestFirst("north", want(2).product)].map(({ name }) => name)).toEqual(["a"]);
  });
});

it("for any hosts and one launch, hosts of one region with room for all are proposed, and none too many", () => {
  const hosts = fc.array(anyHost, { maxLength: 10 });
  const region = fc.option(fc.constantFrom(...regionNames), { nil: undefined });
  fc.assert(
    fc.property(hosts, anyProduct, fc.integer({ min: 1, max: 6 }), region, (all, product, quantity, asked) => {
      const order = new HostOrder();
      const named = all.map((host, index) => ({
        ...roomOf(host),
        ...{ name: `host-${index}`, engine: "simulated", region: host.region },
      }));
      for (const host of named) order.add(host);
      const names = propose(order, [wantOf(product, quantity, asked)], new Set());
      const fitsIn = (among: typeof named) => among.reduce((sum, host) => sum + howManyFit(host, product), 0);
      const eligible = regionNames.filter((one) => asked === undefined || one === asked);
      const possible = eligible.some((one) => fitsIn(named.filter((host) => host.region === one)) >= quantity);
      expect(names.size > 0).toBe(possible);
      const chosen = named.filter(({ name }) => names.has(name));
      if (!possible) return;
      expect(new Set(chosen.map((host) => host.region)).size).toBe(1);
      expect(eligible).toContain(chosen[0]?.region);
      expect(fitsIn(chosen)).toBeGreaterThanOrEqual(quantity);
      const last = chosen.map((host) => howManyFit(host, product));
      // One less would be too few, if it is the right one: the last that was taken was needed.
      expect(last.some((fits) => fitsIn(chosen) - fits < quantity)).toBe(true);
    }),
    { numRuns: 500 },
  );
});
