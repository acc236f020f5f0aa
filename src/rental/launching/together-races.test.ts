// Many batches of launches at once, with launches alone and removals among them, on scarce capacity: never more than
// there is, nothing lost, no deadlock. Transactions are not repeated here (inTransaction would), so that a deadlock fails.
// npm test runs one round of what differs each time, npm run test:crash many.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { auditCapacity } from "../../../test/support/audit.ts";
import { rounds } from "../../../test/support/extent.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { launch, launchAll } from "../../../test/support/launch-all.ts";
import { spansDisagree } from "../../../test/support/lifetimes.ts";
import { chosenSeed, type Random, seeded } from "../../../test/support/random.ts";
import { storiesDisagree } from "../../../test/support/stories.ts";
import { launchOrder, worldOfFile } from "../../../test/support/world.ts";
import { connect, type Database, type Transaction } from "../../database/connect.ts";
import { CapacityCache } from "../capacity/cache.ts";
import { RentalError } from "../errors.ts";
import { change } from "../instances/change.ts";
import type { Instance, InstanceType } from "../instances/instance.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { Principal, Service } from "../service.ts";
import type { LaunchOutcome } from "./launch.ts";
import type { LaunchOrder } from "./order.ts";
import type { Asked } from "./plan.ts";

const world = worldOfFile();
let crowd: Database;
let principals: Principal[];
let services: Service[];

beforeAll(() => {
  crowd = connect({ ...world.config, maxConnections: 16 });
});
afterAll(() => crowd.destroy());
beforeEach(async () => {
  await world.image();
  principals = await Promise.all(Array.from({ length: 6 }, () => world.account()));
  // Two servers on one database, each with a mirror of its own.
  services = [world.service, { ...world.service, capacity: new CapacityCache(crowd) }];
});

const once = <T>(body: (tx: Transaction) => Promise<T>): Promise<T> =>
  crowd.transaction().setIsolationLevel("read committed").execute(body);

/** As a server does it: what has to come later comes again at once. */
async function together(service: Service, asked: readonly Asked[]): Promise<Exclude<LaunchOutcome, "later">[]> {
  const outcomes = new Map<Asked, Exclude<LaunchOutcome, "later">>();
  for (let left = [...asked]; left.length > 0; left = left.filter((one) => !outcomes.has(one))) {
    await service.capacity.refresh();
    const got = await once((tx) => launchAll(tx, service, left));
    for (const [index, one] of left.entries()) {
      const outcome = got[index] ?? "alone";
      if (outcome !== "later") outcomes.set(one, outcome);
    }
  }
  return asked.map((one) => outcomes.get(one) ?? "alone");
}

/** The instances, or the refusal. */
const alone = ({ principal, order }: Asked): Promise<readonly Instance[] | RentalError> =>
  once((tx) => launch(tx, world.service, principal, order)).catch((error: unknown) => {
    if (error instanceof RentalError) return error;
    throw error;
  });

/** As a server does it: together, and what is left then alone. */
async function launched(service: Service, asked: readonly Asked[]): Promise<(readonly Instance[] | RentalError)[]> {
  const outcomes = await together(service, asked);
  return await Promise.all(
    asked.map((one, index) => {
      const outcome = outcomes[index] ?? "alone";
      return outcome === "alone" ? alone(one) : outcome;
    }),
  );
}

const instancesIn = (outcomes: readonly LaunchOutcome[]) =>
  outcomes.flatMap((one) => (typeof one === "string" || one instanceof RentalError ? [] : one));
const kindsIn = (outcomes: readonly LaunchOutcome[]) =>
  outcomes.flatMap((one) => (one instanceof RentalError ? [one.kind] : []));

/** Takes GPUs and nothing that could be short. */
const small = (gpus: number): Promise<InstanceType> => world.product({ gpus, vcpus: 1, memoryGib: 1, storageGb: 1 });

async function gpuHosts(count: number, region = "north"): Promise<void> {
  for (let n = 0; n < count; n++) await world.host({ region, gpus: 8, vcpus: 80, memoryGib: 800, storageGb: 8000 });
}

async function freeGpus(): Promise<number> {
  const pools = await world.db.selectFrom("gpu_pools").select("free").execute();
  return pools.reduce((sum, { free }) => sum + free, 0);
}

/** `count` batches of so many of the same order, of all principals in turns. */
const batchesOf = (count: number, size: number, order: Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">) =>
  Array.from({ length: count }, (_, batch) => Array.from({ length: size }, (_, index) => ask(batch + index, order)));

function ask(turn: number, order: Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">): Asked {
  const principal = principals[turn % principals.length];
  if (principal === undefined) throw new Error("BUG: there are principals");
  return { principal, order: launchOrder(order) };
}
const service = (index: number): Service => services[index % services.length] ?? world.service;

describe("batches at once on capacity for fewer", () => {
  it("take never more than there is, and what is left of them, tried alone, fills exactly all", async () => {
    await gpuHosts(10);
    const batches = batchesOf(12, 10, { instanceType: (await small(1)).name });
    const first = await Promise.all(batches.map((batch, index) => together(service(index), batch)));
    const inBatches = instancesIn(first.flat()).length;
    expect(inBatches).toBeGreaterThan(0);
    expect(await freeGpus()).toBe(80 - inBatches);
    await auditCapacity(world.db);

    const left = batches.flat().filter((_, index) => first.flat()[index] === "alone");
    expect(left).toHaveLength(120 - inBatches);
    const rest = await Promise.all(left.map(alone));
    expect(instancesIn(rest)).toHaveLength(80 - inBatches);
    expect(kindsIn(rest)).toEqual(Array(40).fill("insufficient-capacity"));
    expect(await freeGpus()).toBe(0);
    await auditCapacity(world.db);
  });

  it("let exactly as many through as there is room for, however batches and launches alone meet", async () => {
    await gpuHosts(10);
    const batches = batchesOf(12, 10, { instanceType: (await small(1)).name });
    const outcomes = (await Promise.all(batches.map((batch, index) => launched(service(index), batch)))).flat();
    expect(instancesIn(outcomes)).toHaveLength(80);
    expect(kindsIn(outcomes)).toEqual(Array(40).fill("insufficient-capacity"));
    const gpus = instancesIn(outcomes).map(({ host, gpuAddresses }) => `${host} ${gpuAddresses}`);
    expect(new Set(gpus).size).toBe(80);
    await auditCapacity(world.db);
  });

  it("of three each are whole or not at all, in one region, and leave fewer than three in each", async () => {
    for (const region of ["east", "north", "west"]) await gpuHosts(2, region);
    const batches = batchesOf(6, 5, { instanceType: (await small(1)).name, quantity: 3 });
    const outcomes = (await Promise.all(batches.map((batch, index) => launched(service(index), batch)))).flat();
    const groups = outcomes.flatMap((one) => (one instanceof RentalError ? [] : [one]));
    expect(groups.map((group) => group.length)).toEqual(Array(15).fill(3));
    for (const group of groups) expect(new Set(group.map((one) => one.region.name)).size).toBe(1);
    expect(await freeGpus()).toBe(3);
    await auditCapacity(world.db);
  });

  it("of many sizes leave no room that a refused one would have fitted into", async () => {
    await gpuHosts(8);
    const products = await Promise.all([1, 2, 4, 8].map(small));
    const random = seeded();
    const asked = products.flatMap(({ name }) =>
      Array.from({ length: 20 }, (_, turn) => ask(turn, { instanceType: name })),
    );
    const mixed = random.shuffled(asked);
    const batches = Array.from({ length: 8 }, (_, index) => mixed.slice(index * 10, index * 10 + 10));
    const outcomes = (await Promise.all(batches.map((batch, index) => launched(service(index), batch)))).flat();
    await auditCapacity(world.db);
    const pools = await world.db.selectFrom("gpu_pools").select("free").execute();
    const fullest = Math.max(...pools.map(({ free }) => free));
    const refused = mixed.filter((_, index) => outcomes[index] instanceof RentalError);
    expect(refused).not.toEqual([]);
    for (const { order } of refused) {
      expect(products.find(({ name }) => name === order.instanceType)?.gpus).toBeGreaterThan(fullest);
    }
  });
});

describe("batches at once of one account with a quota", () => {
  it("let through exactly what the quota does", async () => {
    await gpuHosts(8);
    principals = [await world.account({ quotas: { gpus: 17 } })];
    const batches = batchesOf(6, 6, { instanceType: (await small(1)).name });
    const outcomes = (await Promise.all(batches.map((batch, index) => launched(service(index), batch)))).flat();
    expect(instancesIn(outcomes)).toHaveLength(17);
    expect(kindsIn(outcomes)).toEqual(Array(19).fill("quota-exceeded"));
    await auditCapacity(world.db);
  });

  it("take the share of one that is undone", async () => {
    await gpuHosts(2);
    principals = [await world.account({ quotas: { gpus: 3 } })];
    const batch = batchesOf(1, 3, { instanceType: (await small(1)).name }).flat();
    await world.service.capacity.refresh();
    await using undone = await begin(crowd);
    await launchAll(undone.tx, world.service, batch);
    expect(await once((tx) => launchAll(tx, world.service, batch))).toEqual(["later", "later", "later"]);
    const waiting = together(world.service, batch);
    await undone.rollback();
    expect(instancesIn(await waiting)).toHaveLength(3);
    await auditCapacity(world.db);
  });
});

describe("batches of the same accounts in different orders", () => {
  it("never wait for each other in a circle", async () => {
    await gpuHosts(30);
    const { name } = await small(1);
    const random = seeded();
    const batches = Array.from({ length: 24 }, () =>
      random.shuffled(principals.map((_, turn) => ask(turn, { instanceType: name }))),
    );
    const outcomes = (await Promise.all(batches.map((batch, index) => launched(service(index), batch)))).flat();
    expect(instancesIn(outcomes)).toHaveLength(24 * 6);
    await auditCapacity(world.db);
  });
});

describe("batches, launches alone, terminations and removals at once", () => {
  for (const round of rounds(1, 20)) {
    const random = seeded(chosenSeed + round - 1);
    it(`never deadlock, and the books agree in the end (round ${round}, seed ${random.seed})`, async () => {
      for (const region of ["north", "south"]) await gpuHosts(3, region);
      const products = await Promise.all([0, 1, 2, 4].map(small));
      const live: Instance[] = [];
      const work = async (worker: number) => {
        for (let step = 0; step < 12; step++) {
          const what = random.below(4);
          const orders = Array.from({ length: 1 + random.below(8) }, () => anyOrder(random, products));
          if (what === 0) live.push(...instancesIn(await together(service(worker), orders)));
          if (what === 1) live.push(...instancesIn(await launched(service(worker), orders)));
          if (what === 2) live.push(...instancesIn(await Promise.all(orders.map(alone))));
          if (what === 3) await end(live.splice(0, 1 + random.below(6)));
        }
      };
      await Promise.all(Array.from({ length: 10 }, (_, worker) => work(worker)));
      await auditCapacity(world.db);
      expect(await storiesDisagree(world.db)).toEqual([]);
      expect(await spansDisagree(world.db)).toEqual([]);

      await end(live);
      expect(await freeGpus()).toBe(48);
      await auditCapacity(world.db);
    }, 60_000);
  }

  const anyOrder = (random: Random, products: readonly InstanceType[]): Asked =>
    ask(random.below(100), {
      instanceType: random.one(products).name,
      quantity: 1 + random.below(3),
      region: random.one(["any", "any", "north", "south"]),
    });

  /** All of an account's at once are terminated, then each is removed, as the reconciler does it. */
  async function end(instances: readonly Instance[]): Promise<void> {
    for (const principal of principals) {
      const ids = instances.filter(({ accountId }) => accountId === principal.accountId).map(({ id }) => id);
      if (ids.length > 0) await once((tx) => change(tx, world.service, principal, "terminate", ids, "ids"));
    }
    const removed = instances.map(({ id }) =>
      once((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {})),
    );
    expect(await Promise.all(removed)).toEqual(instances.map(() => true));
  }
});

describe("a batch, while others hold locks", () => {
  it("waits for no host, and gets those that are free", async () => {
    await gpuHosts(2);
    const order = { instanceType: (await small(1)).name };
    await using other = await begin(crowd);
    await launch(other.tx, world.service, ask(0, order).principal, launchOrder(order));
    const outcomes = await together(
      world.service,
      Array.from({ length: 8 }, () => ask(1, order)),
    );
    expect(instancesIn(outcomes)).toHaveLength(8);
    await other.commit();
    expect(await freeGpus()).toBe(7);
    await auditCapacity(world.db);
  });

  it("leaves to be tried alone what only a locked host has room for, and alone it waits and gets it", async () => {
    await gpuHosts(1);
    const order = { instanceType: (await small(1)).name };
    await using other = await begin(crowd);
    await launch(other.tx, world.service, ask(0, order).principal, launchOrder(order));
    const waiting = launched(world.service, [ask(1, order), ask(2, order)]);
    await untilWaiting(crowd, 2);
    await other.rollback();
    expect(instancesIn(await waiting)).toHaveLength(2);
    expect(await freeGpus()).toBe(6);
    await auditCapacity(world.db);
  });

  it("does not use a host that was cordoned after the mirror looked", async () => {
    await gpuHosts(2);
    const order = { instanceType: (await small(1)).name };
    await world.service.capacity.refresh();
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
    expect(await once((tx) => launchAll(tx, world.service, [ask(0, order)]))).toEqual(["alone"]);
  });
});
