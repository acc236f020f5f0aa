// The order of hosts: best first, whatever was added and removed, and the same when hosts are locked.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { begin } from "../../../test/support/interleave.ts";
import { fc } from "../../../test/support/properties.ts";
import {
  anyHost,
  anyProduct,
  models,
  type RandomHost,
  regionNames,
  roomOf,
  writeGpus,
  writeHost,
} from "../../../test/support/random-hosts.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { InstanceType } from "../instances/instance.ts";
import { HostOrder, type OrderedHost } from "./host-order.ts";
import { howManyFit } from "./requirements.ts";
import { reserveAlone } from "./reserve-together.ts";

/** A host with plenty of everything but GPUs unless told. `gpus`: free ones by model. */
function host(name: string, gpus: Record<string, number> = {}, more: Partial<OrderedHost> = {}): OrderedHost {
  const pools = Object.entries(gpus).map(([model, free]) => [model, { total: 9, free, freeByNode: [free] }] as const);
  const room = { freeVcpus: 64, freeMemoryGib: 512, freeStorageGb: 4000, gpus: new Map(pools) };
  return { name, engine: "simulated", region: "north", ...room, ...more };
}

/** Wants one H100, 8 vCPUs, 64 GiB and 500 GB unless told. */
function product(more: Partial<InstanceType> = {}): InstanceType {
  const words = { name: "one", description: "", gpuDescription: "", priceCentsPerHour: 1, spotPriceCentsPerHour: null };
  const architecture = "x86_64";
  return { ...words, architecture, gpuModel: "H100", gpus: 1, vcpus: 8, memoryGib: 64, storageGb: 500, ...more };
}
const withoutGpus = product({ gpuModel: null, gpus: 0 });

function orderOf(...hosts: readonly OrderedHost[]): HostOrder {
  const order = new HostOrder();
  for (const one of hosts) order.add(one);
  return order;
}

const names = (order: HostOrder, wanted = product(), region = "north") =>
  [...order.bestFirst(region, wanted)].map(({ name }) => name);

describe("the hosts for a product with GPUs", () => {
  it("come by their free GPUs of its model, the fewest that suffice first", () => {
    const order = orderOf(host("eight", { H100: 8 }), host("two", { H100: 2 }), host("four", { H100: 4 }));
    expect(names(order)).toEqual(["two", "four", "eight"]);
    expect(names(order, product({ gpus: 4 }))).toEqual(["four", "eight"]);
    expect(names(order, product({ gpus: 9 }))).toEqual([]);
  });

  it("come whatever GPUs of other models they have", () => {
    const order = orderOf(host("mixed", { A100: 8, H100: 1 }), host("two", { H100: 2 }), host("other", { A100: 1 }));
    expect(names(order)).toEqual(["mixed", "two"]);
    expect(names(order, product({ gpuModel: "A100" }))).toEqual(["other", "mixed"]);
  });

  it("come the fullest first where GPUs are the same, and then by name", () => {
    const [full, b, a] = [host("z", { H100: 2 }, { freeVcpus: 9 }), host("b", { H100: 2 }), host("a", { H100: 2 })];
    expect(names(orderOf(full, b, a))).toEqual(["z", "a", "b"]);
    expect(names(orderOf(a, b, full))).toEqual(["z", "a", "b"]);
  });

  for (const short of [{ freeVcpus: 7 }, { freeMemoryGib: 63 }, { freeStorageGb: 499 }]) {
    it(`leave out one that has too little: ${Object.keys(short)}`, () => {
      expect(names(orderOf(host("short", { H100: 1 }, short), host("enough", { H100: 8 })))).toEqual(["enough"]);
    });
  }
});

/** With `free` GPUs in each NUMA node, of nodes with four each. */
function numaHost(name: string, free: readonly number[], more: Partial<OrderedHost> = {}): OrderedHost {
  const pool = { total: 4 * free.length, free: free.reduce((sum, one) => sum + one, 0), freeByNode: free };
  return host(name, {}, { gpus: new Map([["H100", pool]]), ...more });
}

describe("hosts with free GPUs in several NUMA nodes", () => {
  it("come later where the launch would be split over nodes, though fewer GPUs are free there", () => {
    const order = orderOf(numaHost("split", [1, 1]), numaHost("together", [3, 0]));
    expect(names(order, product({ gpus: 2 }))).toEqual(["together", "split"]);
    expect(names(order)).toEqual(["split", "together"]);
  });

  it("come last where all GPUs are free, also if the launch is split elsewhere", () => {
    const order = orderOf(numaHost("whole", [4, 4]), numaHost("split", [3, 2]));
    expect(names(order, product({ gpus: 4 }))).toEqual(["split", "whole"]);
  });

  it("come with the fewest in one node first where as many are free, which leaves full nodes to larger launches", () => {
    const order = orderOf(numaHost("full node", [4, 0]), numaHost("spread", [2, 2]));
    expect(names(order)).toEqual(["spread", "full node"]);
  });
});

describe("hosts whose CPU or memory does not suffice for their free GPUs", () => {
  const short = numaHost("short", [4, 0], { freeVcpus: 16 });
  const rich = numaHost("rich", [3, 0]);

  it("come by the GPUs that it suffices for", () => {
    const order = orderOf(short, rich);
    expect(names(order)).toEqual(["rich", "short"]);
    order.useNeeds(new Map([["H100", { vcpus: 8, memoryGib: 64 }]]));
    expect(names(order)).toEqual(["short", "rich"]);
    order.useNeeds(new Map([["H100", { vcpus: 4, memoryGib: 16 }]]));
    expect(names(order)).toEqual(["rich", "short"]);
  });

  it("can be removed after the catalog has changed", () => {
    const order = orderOf(short, rich);
    order.useNeeds(new Map([["H100", { vcpus: 8, memoryGib: 64 }]]));
    order.remove(short);
    expect(names(order)).toEqual(["rich"]);
    expect(names(order, withoutGpus)).toEqual(["rich"]);
  });
});

describe("the hosts for a product without GPUs", () => {
  it("come with the fewest free GPUs of all models first, so that none is stranded", () => {
    const order = orderOf(host("three", { A100: 2, H100: 1 }), host("two", { H100: 2 }), host("none", { H100: 0 }));
    expect(names(order, withoutGpus)).toEqual(["none", "two", "three"]);
  });

  it("come the fullest first where GPUs are the same", () => {
    const order = orderOf(host("large"), host("small", {}, { freeVcpus: 8 }), host("full", {}, { freeVcpus: 7 }));
    expect(names(order, withoutGpus)).toEqual(["small", "large"]);
  });
});

describe("the regions for a product", () => {
  const order = orderOf(
    host("n", { H100: 8 }, { region: "north" }),
    host("s", { H100: 1 }, { region: "south" }),
    host("w", { H100: 4 }, { region: "west" }),
    host("e", { A100: 1 }, { region: "east" }),
  );

  it("come with the best host's first, and are those that have one at all", () => {
    expect(order.regions(product())).toEqual(["south", "west", "north"]);
    expect(order.regions(product({ gpus: 2 }))).toEqual(["west", "north"]);
    expect(order.regions(withoutGpus)).toEqual(["east", "south", "west", "north"]);
    expect(order.regions(product({ gpuModel: "B200" }))).toEqual([]);
  });

  it("have each their own hosts only", () => {
    expect(names(order, product(), "west")).toEqual(["w"]);
    expect(names(order, product(), "nowhere")).toEqual([]);
  });
});

describe("a host that is removed", () => {
  it("is nowhere any more, and is there again when it is added", () => {
    const [one, two] = [host("one", { A100: 1, H100: 1 }), host("two", { H100: 2 })];
    const order = orderOf(one, two);
    order.remove(one);
    expect([names(order), names(order, withoutGpus), names(order, product({ gpuModel: "A100" }))]).toEqual([
      ["two"],
      ["two"],
      [],
    ]);
    order.add(one);
    expect(names(order)).toEqual(["one", "two"]);
  });

  it("has to be what was added, for anything else would leave the order wrong in silence", () => {
    const order = orderOf(host("one", { H100: 1 }));
    expect(() => order.remove(host("one", { H100: 2 }))).toThrow("BUG: host one");
    expect(() => order.remove(host("two", { H100: 1 }))).toThrow("BUG: host two");
  });
});

/** Names that a database might sort by its language's rules, which are not those of JavaScript. */
const oddNames = ["host-10", "host-2", "Host-3", "host_4", "hosta", "HOSTB", "h.6", "host-é"];

/** What types of the random products usually take per GPU. */
const needs = new Map(models.map((model) => [model, { vcpus: 2, memoryGib: 3 }]));

/** What the order should be, by sorting everything: all numbers of one host, the most important first. */
function sorted(hosts: ReadonlyMap<string, RandomHost>, region: string, wanted: InstanceType): string[] {
  const standing = (random: RandomHost): number[] => {
    const counted = models.filter((model) => wanted.gpuModel === null || model === wanted.gpuModel);
    const pools = counted.map((model) => poolIn(random, model));
    const rentable = pools.map(({ free }) =>
      Math.min(free, Math.floor(random.freeVcpus / 2), Math.floor(random.freeMemoryGib / 3)),
    );
    const [pool] = pools;
    const isWhole = wanted.gpuModel !== null && pool?.free === pool?.total;
    const isSplit = wanted.gpuModel !== null && Math.max(...(pool?.freeByNode ?? [])) < wanted.gpus;
    const gpus = sum(pools.map(({ free }) => free));
    const inOneNode = wanted.gpuModel === null ? 0 : Math.max(...(pool?.freeByNode ?? []));
    return [Number(isWhole), Number(isSplit), sum(rentable), gpus, inOneNode, random.freeVcpus];
  };
  return [...hosts]
    .filter(([, random]) => random.region === region && howManyFit(roomOf(random), wanted) > 0)
    .sort(([a, one], [b, other]) => firstOther(standing(one), standing(other)) || (a < b ? -1 : 1))
    .map(([name]) => name);
}

const poolIn = (random: RandomHost, model: string) =>
  roomOf(random).gpus.get(model) ?? { total: 0, free: 0, freeByNode: [0] };
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** By the first number that is another. */
function firstOther(one: readonly number[], other: readonly number[]): number {
  return one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

it("after any adds, removes and changes the order is what sorting everything gives", () => {
  const step = fc.record({ name: fc.constantFrom(...oddNames), to: fc.option(anyHost, { freq: 4 }) });
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.array(anyProduct, { maxLength: 3 }),
      (steps, all) => {
        const [order, hosts] = [new HostOrder(), new Map<string, RandomHost>()];
        order.useNeeds(needs);
        for (const { name, to } of steps) {
          const before = hosts.get(name);
          if (before !== undefined) order.remove(ordered(name, before));
          hosts.delete(name);
          if (to !== null) {
            order.add(ordered(name, to));
            hosts.set(name, to);
          }
          for (const wanted of all) {
            const expected = regionNames.map((region) => sorted(hosts, region, wanted));
            expect(regionNames.map((region) => names(order, wanted, region))).toEqual(expected);
            const fitting = regionNames.filter((_, index) => expected[index]?.length !== 0);
            expect([...order.regions(wanted)].sort()).toEqual(fitting);
          }
        }
      },
    ),
    { numRuns: sample(60, 1000) },
  );
});

const ordered = (name: string, random: RandomHost): OrderedHost => ({
  ...roomOf(random),
  name,
  engine: "simulated",
  region: random.region,
});

describe("the order in memory", () => {
  const world = worldOfFile();

  it("is that in which a launch alone takes the hosts that nobody has locked, for every product and region", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyHost, { minLength: oddNames.length, maxLength: oddNames.length }),
        fc.array(anyProduct, { minLength: 2, maxLength: 4 }),
        async (hosts, products) => {
          await world.empty();
          for (const [index, one] of hosts.entries()) await writeHost(world.db, oddNames[index] ?? "", one);
          await writeGpus(world.db);
          const { capacity } = world.service;
          await capacity.refresh();
          for (const wanted of products) {
            for (const region of regionNames) {
              expect(names(capacity.order, wanted, region)).toEqual(await lockedInTurn(wanted, region));
            }
            const [best] = await lockedInTurn(wanted);
            const regions = capacity.order.regions(wanted);
            expect(best).toBe(regions[0] === undefined ? undefined : names(capacity.order, wanted, regions[0])[0]);
          }
        },
      ),
      { numRuns: sample(10, 100) },
    );
  }, 60_000);

  /** The host of each of several launches, of which each finds the hosts of those before locked. */
  async function lockedInTurn(product: InstanceType, region?: string): Promise<string[]> {
    await using others = await begin(world.db);
    const seen: string[] = [];
    for (;;) {
      const want = { product, region, instanceIds: ["one"] };
      const [place] = (await world.tx((tx) => reserveAlone(tx, world.service.capacity.order, want))) ?? [];
      if (place === undefined) return seen;
      seen.push(place.host);
      await sql`select from hosts where name = ${place.host} for update`.execute(others.tx);
    }
  }
});
