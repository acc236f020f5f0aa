// Places for many launches at once, on a real database: never more than there is, only on hosts that nobody else has
// locked, and without ever waiting, however old what the mirror knows.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { sample } from "../../../test/support/extent.ts";
import { begin } from "../../../test/support/interleave.ts";
import { fc } from "../../../test/support/properties.ts";
import { regionNames } from "../../../test/support/random-hosts.ts";
import { changingNothing } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";
import { ask, question } from "../../database/round-trips.ts";
import { inTransaction } from "../../database/transaction.ts";
import { RentalError } from "../errors.ts";
import type { InstanceType } from "../instances/instance.ts";
import type { Assignment, Held, PlacementRequest } from "./assign.ts";
import { hostsAsTheyAre, takenPlaces } from "./host-lock.ts";
import { reserve } from "./placement.ts";
import { reserveTogether, takingsOf } from "./reserve-together.ts";

const world = worldOfFile();
/** Takes a GPU and nothing that could be short. */
let one: InstanceType;
beforeEach(async () => {
  one = await small(1);
});
const small = (gpus: number) => world.product({ gpus, vcpus: 1, memoryGib: 1, storageGb: 1 });

const want = (product: InstanceType, quantity = 1, region?: string): PlacementRequest => {
  return { product, region, instanceIds: Array.from({ length: quantity }, () => uuidv7()) };
};
const wants = (count: number, product: InstanceType) => Array.from({ length: count }, () => want(product));

const answer = question(sql<{ answer: number }>`select 42 as answer`, ([row]) => row?.answer);

const holdIn = async (tx: Transaction, all: readonly PlacementRequest[]) => {
  return (await reserveTogether(tx, world.service.capacity.order, all, answer)).held;
};
/** What is held by what the mirror knew before. */
const holdStale = (all: readonly PlacementRequest[]) => inTransaction(world.db, (tx) => holdIn(tx, all));
/** What is held in a transaction of its own, by what the mirror knows now. */
async function holdNow(all: readonly PlacementRequest[]): Promise<Held<PlacementRequest>[]> {
  await world.service.capacity.refresh();
  return holdStale(all);
}

const hostsOf = (held: readonly Held<PlacementRequest>[]) =>
  held.map(({ places }) => places.map(({ host }) => host).join(" "));
const gpusOf = (held: readonly Held<PlacementRequest>[]) =>
  held.flatMap(({ places }) => places.flatMap(({ host, gpuAddresses }) => gpuAddresses.map((gpu) => `${host} ${gpu}`)));
const lock = (tx: Transaction, ...hosts: string[]) =>
  sql`select from hosts where name = any(${hosts}::text[]) for update`.execute(tx);

/** Takes all vCPUs of the host, so that nothing fits any more. */
const fillUp = (host: string) =>
  world.db.updateTable("hosts").set({ free_vcpus: 0 }).where("name", "=", host).execute();

describe("launches that are placed together", () => {
  it("are put on the best hosts, each host filled before the next is begun, and no GPU twice", async () => {
    for (const name of ["a", "b", "c"]) await world.host({ name, gpus: 4 });
    const held = await holdNow(wants(9, one));
    expect(hostsOf(held)).toEqual(["a", "a", "a", "a", "b", "b", "b", "b", "c"]);
    expect(new Set(gpusOf(held)).size).toBe(9);
  });

  it("are found in their order, and those without room are left out", async () => {
    await world.host({ name: "a", gpus: 4 });
    const [first, large, second] = [want(await small(3)), want(await small(4)), want(one)];
    const held = await holdNow([first, large, second]);
    expect(held.map((each) => each.want)).toEqual([first, second]);
  });

  it("have a place for each instance, in the order of their ids, with the host's engine and region", async () => {
    await world.host({ name: "a", region: "south", engine: "another", gpus: 4 });
    const three = want(one, 3);
    const { places } = only(await holdNow([three]));
    expect(places.map(({ instanceId }) => instanceId)).toEqual(three.instanceIds);
    for (const place of places) expect(place).toMatchObject({ engine: "another", host: "a", region: "south" });
  });

  it("of other products share a host as far as it has room for all of them", async () => {
    await world.host({ name: "a", gpus: 4, vcpus: 20 });
    const [gpu, cpu] = [await world.product({ gpus: 1, vcpus: 8 }), await world.product({ gpus: 0, vcpus: 4 })];
    expect(hostsOf(await holdNow([want(gpu), want(cpu), want(gpu), want(cpu)]))).toEqual(["a", "a", "a"]);
    expect(hostsOf(await holdNow([want(cpu, 5), want(gpu)]))).toEqual(["a a a a a"]);
  });

  it("get GPUs of one NUMA node each where one has enough", async () => {
    await world.host({ gpus: 8, numaNodes: 2 });
    const held = await holdNow([want(await small(3)), want(await small(4)), want(one)]);
    const numbers = held.map(({ places }) =>
      places.flatMap((place) => place.gpuAddresses.map((gpu) => gpu.slice(5, 7))),
    );
    expect(numbers).toEqual([["01", "02", "03"], ["05", "06", "07", "08"], ["04"]]);
  });

  it("never get a broken GPU, nor one that somebody has", async () => {
    await world.host({ gpus: 4, brokenGpus: 1 });
    await world.image();
    const { gpuAddresses } = await world.launchOne(await world.account(), { instanceType: one.name });
    expect(gpuAddresses).toEqual(["0000:02:00.0"]);
    const held = await holdNow(wants(3, one));
    expect(gpusOf(held).map((gpu) => gpu.slice(-7))).toEqual(["03:00.0", "04:00.0"]);
  });

  it("change nothing until the caller takes what was held", async () => {
    await world.host({ gpus: 8 });
    expect(await changingNothing(world.db, () => holdNow(wants(3, one)))).toHaveLength(3);
  });
});

describe("a quantity", () => {
  it("spreads over hosts of a region where none has room for all", async () => {
    for (const name of ["a", "b", "c"]) await world.host({ name, gpus: 2 });
    const held = await holdNow([want(one, 5)]);
    expect(hostsOf(held)).toEqual(["a a b b c"]);
    expect(new Set(gpusOf(held)).size).toBe(5);
  });

  it("never spreads over regions, nor is held in part", async () => {
    await world.host({ name: "n", region: "north", gpus: 2 });
    await world.host({ name: "s", region: "south", gpus: 2 });
    expect(hostsOf(await holdNow([want(one, 3), want(one, 2), want(one, 2), want(one)]))).toEqual(["n n", "s s"]);
  });

  it("goes where all of it has room, though a better host is elsewhere", async () => {
    await world.host({ name: "best", region: "east", gpus: 1 });
    for (const name of ["a", "b"]) await world.host({ name, region: "north", gpus: 2 });
    expect(hostsOf(await holdNow([want(one, 3)]))).toEqual(["a a b"]);
  });
});

describe("the region", () => {
  beforeEach(async () => {
    await world.host({ name: "n", region: "north", gpus: 8 });
    await world.host({ name: "s", region: "south", gpus: 1 });
  });

  it("is the one asked for, and no other when it is full", async () => {
    const asked = [want(one, 1, "north"), want(one, 1, "south"), want(one, 1, "south"), want(one, 1, "nowhere")];
    expect(hostsOf(await holdNow(asked))).toEqual(["n", "s"]);
  });

  it("is the best host's where any will do, and then the next", async () => {
    expect(hostsOf(await holdNow(wants(3, one)))).toEqual(["s", "n", "n"]);
  });
});

describe("hosts that another transaction has locked", () => {
  beforeEach(async () => {
    for (const name of ["a", "b", "c", "d"]) await world.host({ name, gpus: 2 });
  });

  it("are passed by, and others taken, without waiting", async () => {
    await using other = await begin(world.db);
    await lock(other.tx, "a", "b");
    expect(hostsOf(await holdNow(wants(3, one)))).toEqual(["c", "c", "d"]);
  });

  it("are passed by for those launches alone that would have gone there", async () => {
    await using other = await begin(world.db);
    await lock(other.tx, "b");
    expect(hostsOf(await holdNow(wants(4, one)))).toEqual(["a", "a", "c", "c"]);
  });

  it("leave nothing held and nobody waiting when they are all, and the answer is there all the same", async () => {
    await world.service.capacity.refresh();
    await using other = await begin(world.db);
    await lock(other.tx, "a", "b", "c", "d");
    const { order } = world.service.capacity;
    const got = await world.tx((tx) => reserveTogether(tx, order, wants(3, one), answer));
    expect(got).toEqual({ held: [], besides: 42 });
  });

  it("are given up looking for after the third proposal: a search of its own is cheaper then", async () => {
    await using other = await begin(world.db);
    await lock(other.tx, "a", "b");
    expect(hostsOf(await holdNow([want(one)]))).toEqual(["c"]);
    await lock(other.tx, "c");
    expect(await holdNow([want(one)])).toEqual([]);
  });

  it("are made up for by others where a quantity was to be spread over them", async () => {
    await using other = await begin(world.db);
    await lock(other.tx, "a");
    expect(hostsOf(await holdNow([want(one, 3)]))).toEqual(["b b c"]);
    await lock(other.tx, "b", "c");
    expect(await holdNow([want(one, 3)])).toEqual([]);
  });
});

describe("what is held", () => {
  it("is locked until the transaction ends: another places elsewhere meanwhile", async () => {
    for (const name of ["a", "b"]) await world.host({ name, gpus: 2 });
    await world.service.capacity.refresh();
    await using first = await begin(world.db);
    expect(hostsOf(await holdIn(first.tx, [want(one)]))).toEqual(["a"]);
    expect(hostsOf(await holdStale([want(one)]))).toEqual(["b"]);
    const found = await world.tx((tx) => reserve(tx, world.service.capacity.order, want(one)));
    expect(only(found).host).toBe("b");
    await first.rollback();
    expect(hostsOf(await holdStale([want(one)]))).toEqual(["a"]);
  });

  it("is what is then taken: room, pool and exactly those GPUs", async () => {
    await world.host({ name: "a", gpus: 2 });
    await world.host({ name: "b", gpus: 4 });
    const [gpu, cpu] = [await world.product({ gpus: 1 }), await world.product({ gpus: 0 })];
    await world.service.capacity.refresh();
    // Left open: with the commit each GPU's holder has to be an instance.
    await using open = await begin(world.db);
    const held = await holdIn(open.tx, [want(gpu, 3), want(cpu), want(gpu)]);
    await ask(open.tx, takenPlaces(takingsOf(held)));
    expect(hostsOf(held)).toEqual(["a a b", "a", "b"]);
    const [a, b] = await ask(open.tx, hostsAsTheyAre(["a", "b"]));
    expect([a?.freeVcpus, a?.freeMemoryGib, a?.freeStorageGb]).toEqual([40, 320, 2500]);
    expect([b?.freeVcpus, b?.freeMemoryGib, b?.freeStorageGb]).toEqual([48, 384, 3000]);
    const pools = await open.tx.selectFrom("gpu_pools").select(["host", "free"]).orderBy("host").execute();
    expect(pools).toEqual([
      { host: "a", free: 0 },
      { host: "b", free: 2 },
    ]);
    expect(await heldGpus(open.tx)).toEqual(held.flatMap(({ places }) => places.flatMap(holdings)).sort());
  });

  it("cannot be taken twice", async () => {
    await world.host({ gpus: 4 });
    const [first, second] = [await holdNow([want(one)]), await holdNow([want(one)])];
    await using open = await begin(world.db);
    await ask(open.tx, takenPlaces(takingsOf(first)));
    const again = ask(open.tx, takenPlaces(takingsOf(second)));
    await expect(again).rejects.toThrow("BUG: a GPU chosen under its host's lock was not free");
  });

  const holdings = ({ host, gpuAddresses, instanceId }: Assignment) =>
    gpuAddresses.map((address) => `${host} ${address} ${instanceId}`);

  async function heldGpus(tx: Transaction): Promise<string[]> {
    const rows = await tx.selectFrom("gpus").selectAll().where("instance_id", "is not", null).execute();
    return rows.map((gpu) => `${gpu.host} ${gpu.address} ${gpu.instance_id}`).sort();
  }
});

describe("a mirror that is older than the hosts", () => {
  beforeEach(async () => {
    for (const [name, gpus] of Object.entries({ a: 1, b: 2, c: 4 })) await world.host({ name, gpus });
    await world.service.capacity.refresh();
  });

  it("costs another look where a host was filled, cordoned, lost or removed since", async () => {
    const hosts = (set: { free_vcpus: 0 } | { mode: "cordoned" } | { available: false }) =>
      world.db.updateTable("hosts").set(set).where("name", "=", "a").execute();
    await hosts({ mode: "cordoned" });
    expect(hostsOf(await holdStale([want(one)]))).toEqual(["b"]);
    await hosts({ available: false });
    expect(hostsOf(await holdStale([want(one)]))).toEqual(["b"]);
    await world.db.deleteFrom("hosts").where("name", "=", "a").execute();
    expect(hostsOf(await holdStale([want(one)]))).toEqual(["b"]);
    await fillUp("b");
    expect(hostsOf(await holdStale([want(one)]))).toEqual(["c"]);
  });

  it("never puts a launch in another region than it asked for, where a host has moved", async () => {
    await world.region("south");
    await world.db.updateTable("hosts").set({ region: "south" }).where("name", "=", "a").execute();
    expect(hostsOf(await holdStale([want(one, 1, "north")]))).toEqual(["b"]);
    expect(hostsOf(await holdStale([want(one, 1, "south")]))).toEqual([]);
    expect(only(only(await holdStale([want(one)])).places)).toMatchObject({ host: "a", region: "south" });
  });

  it("finds what it knows, and not what is new: that is for those who look alone", async () => {
    await world.host({ name: "new", gpus: 8 });
    const eight = await small(8);
    expect(await holdStale([want(eight)])).toEqual([]);
    expect(hostsOf(await holdNow([want(eight)]))).toEqual(["new"]);
  });

  it("fills what is left of a host that was partly taken, and the rest goes on", async () => {
    await world.image();
    await world.launch(await world.account(), { instanceType: one.name, quantity: 2, region: "north" });
    expect(hostsOf(await holdStale(wants(3, one)))).toEqual(["b", "c", "c"]);
  });
});

describe("nobody to place", () => {
  it("is answered all the same", async () => {
    const got = await world.tx((tx) => reserveTogether(tx, world.service.capacity.order, [], answer));
    expect(got).toEqual({ held: [], besides: 42 });
  });
});

const anySpec = fc.record({
  region: fc.constantFrom(...regionNames),
  gpus: fc.integer({ min: 0, max: 4 }),
  vcpus: fc.integer({ min: 2, max: 10 }),
  /** What happens to the host after the mirror has looked. */
  fate: fc.constantFrom("none", "none", "none", "locked", "cordoned", "filled"),
});
const anyWant = fc.record({
  gpus: fc.integer({ min: 0, max: 3 }),
  vcpus: fc.integer({ min: 1, max: 4 }),
  quantity: fc.integer({ min: 1, max: 4 }),
  region: fc.option(fc.constantFrom(...regionNames), { nil: undefined }),
});
type AnyWant = typeof anyWant extends fc.Arbitrary<infer T> ? T : never;

function randomWant({ gpus, vcpus, quantity, region }: AnyWant): PlacementRequest {
  const gpuModel = gpus === 0 ? null : "H100";
  return want({ ...one, name: `${gpus}-${vcpus}`, gpuModel, gpus, vcpus }, quantity, region);
}

describe("whatever hosts there are, and whatever became of them since the last look", () => {
  it("launches get whole places of one region on open hosts that nobody has locked, and never more than there is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anySpec, { minLength: 3, maxLength: 7 }),
        fc.array(anyWant, { minLength: 1, maxLength: 8 }),
        async (specs, asked) => {
          await world.empty();
          const hosts = new Map<string, (typeof specs)[number]>();
          for (const spec of specs) hosts.set(await world.host({ ...spec, memoryGib: 99 }), spec);
          await world.service.capacity.refresh();
          const whose = (fate: string) => [...hosts].flatMap(([name, spec]) => (spec.fate === fate ? [name] : []));
          await sql`update hosts set mode = 'cordoned' where name = any(${whose("cordoned")})`.execute(world.db);
          for (const name of whose("filled")) await fillUp(name);
          await using other = await begin(world.db);
          await lock(other.tx, ...whose("locked"));
          const held = await holdStale(asked.map(randomWant));
          for (const { want: asking, places } of held) {
            expect(places.map(({ instanceId }) => instanceId)).toEqual(asking.instanceIds);
            expect(new Set(places.map(({ region }) => region)).size).toBe(1);
            expect(places[0]?.region).toBe(asking.region ?? places[0]?.region);
            for (const { host, region, gpuAddresses } of places) {
              expect(hosts.get(host)).toMatchObject({ fate: "none", region });
              expect(gpuAddresses).toHaveLength(asking.product.gpus);
            }
          }
          expect(new Set(gpusOf(held)).size).toBe(gpusOf(held).length);
          for (const [name, { vcpus }] of hosts) {
            const taken = held.flatMap(({ want: { product }, places }) =>
              places.flatMap(({ host }) => (host === name ? [product.vcpus] : [])),
            );
            expect(taken.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(vcpus);
          }
          // The database refuses what is not there.
          await using open = await begin(world.db);
          await ask(open.tx, takenPlaces(takingsOf(held)));
        },
      ),
      { numRuns: sample(15, 200) },
    );
  }, 60_000);

  it("one launch gets the places it would get alone, where nobody is in its way, or none where it would get none", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anySpec, { minLength: 3, maxLength: 7 }), anyWant, async (specs, asked) => {
        await world.empty();
        for (const spec of specs) await world.host({ ...spec, memoryGib: 99 });
        const asking = randomWant(asked);
        const [held] = await holdNow([asking]);
        expect(held?.places).toEqual(await placesAlone(asking));
      }),
      { numRuns: sample(15, 200) },
    );
  }, 60_000);

  /** Where placement.ts would put it; nothing is taken. */
  async function placesAlone(asking: PlacementRequest): Promise<readonly Assignment[] | undefined> {
    await using alone = await begin(world.db);
    return await reserve(alone.tx, world.service.capacity.order, asking).catch((error: unknown) => {
      if (error instanceof RentalError && error.kind === "insufficient-capacity") return undefined;
      throw error;
    });
  }
});
