// Many launches at once, each in a transaction of its own, over more connections than any server would have. The
// database decides; what is tested is that it decides exactly: no place twice, none lost, no launch halfway, no deadlock.
// npm test runs one round of the largest, npm run test:crash ten.

import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { booksDisagree } from "../../../test/support/books.ts";
import { rounds } from "../../../test/support/extent.ts";
import { begin, untilWaiting } from "../../../test/support/interleave.ts";
import { launch } from "../../../test/support/launch-all.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { launchOrder, only, worldOfFile } from "../../../test/support/world.ts";
import { connect, type Database, type Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import type { Instance, InstanceType } from "../instances/instance.ts";
import { recordObservation } from "../instances/record-observation.ts";
import type { LaunchOrder } from "../launching/order.ts";
import type { Principal } from "../service.ts";

const world = worldOfFile();
/** As many launches are on their way at once. */
const connections = 20;
let crowd: Database;
let principals: Principal[];

beforeAll(() => {
  crowd = connect({ ...world.config, maxConnections: connections });
});
afterAll(() => crowd.destroy());
beforeEach(async () => {
  await world.image();
  principals = await Promise.all(Array.from({ length: 10 }, () => world.account()));
});

/**
 * What became of `count` launches, as many at once as there are connections, of as many principals as there are, in turns.
 * None waits for a connection, which a pool gives up on a busy machine. Not through inTransaction, which would repeat a
 * deadlock's victim: here a deadlock is a refusal that no test expects.
 */
async function launchAtOnce(count: number, order: Partial<LaunchOrder> & Pick<LaunchOrder, "instanceType">) {
  const outcomes: PromiseSettledResult<readonly Instance[]>[] = [];
  let next = 0;
  const inTurn = async () => {
    while (next < count) {
      const principal = principals[next++ % principals.length];
      if (principal === undefined) throw new Error("no principals");
      const launched = crowd
        .transaction()
        .setIsolationLevel("read committed")
        .execute(async (tx) => {
          await world.service.capacity.refresh();
          return launch(tx, world.service, principal, launchOrder(order));
        });
      outcomes.push(...(await Promise.allSettled([launched])));
    }
  };
  await Promise.all(Array.from({ length: connections }, inTurn));
  const launched = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const refused = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
  return { launched, kinds: refused.map((error) => (error instanceof RentalError ? error.kind : error)) };
}

async function freeGpus(): Promise<number> {
  const row = await world.db
    .selectFrom("gpu_pools")
    .select((pool) => pool.fn.sum<string>("free").as("free"))
    .executeTakeFirstOrThrow();
  return Number(row.free);
}

/** Hosts with 8 GPUs, of which each product of these tests takes some and needs nothing else that could be short. */
async function gpuHosts(count: number, region = "north"): Promise<void> {
  for (let n = 0; n < count; n++) await world.host({ region, gpus: 8, vcpus: 80, memoryGib: 800, storageGb: 8000 });
}

const smallProduct = (gpus: number): Promise<InstanceType> =>
  world.product({ gpus, vcpus: 1, memoryGib: 1, storageGb: 1 });
const gpuOf = (instance: Instance) => `${instance.host} ${only(instance.gpuAddresses)}`;

describe("600 launches at once on room for 200", () => {
  for (const round of rounds(1, 10)) {
    it(`are exactly 200 successes and 400 refusals for want of capacity (round ${round})`, async () => {
      await gpuHosts(25);
      const product = await smallProduct(1);
      const { launched, kinds } = await launchAtOnce(600, { instanceType: product.name });
      expect(launched).toHaveLength(200);
      expect(kinds).toEqual(Array.from({ length: 400 }, () => "insufficient-capacity"));
      expect(new Set(launched.flat().map(gpuOf)).size).toBe(200);
      expect(await freeGpus()).toBe(0);
      expect(await booksDisagree(world.db)).toEqual([]);
    });
  }
});

describe("launches at once on exactly enough room", () => {
  it("all succeed: none is refused because others had every host locked at that moment", async () => {
    await gpuHosts(5);
    const product = await smallProduct(1);
    const { launched, kinds } = await launchAtOnce(40, { instanceType: product.name });
    expect(kinds).toEqual([]);
    expect(launched).toHaveLength(40);
    expect(await freeGpus()).toBe(0);
  });
});

describe("launches of three at once on scarce capacity", () => {
  it("are each all or none, never deadlock, and leave fewer than three free when one was refused", async () => {
    await gpuHosts(7);
    const product = await smallProduct(1);
    const { launched, kinds } = await launchAtOnce(40, { instanceType: product.name, quantity: 3 });
    expect(launched.map((group) => group.length)).toEqual(Array.from({ length: 18 }, () => 3));
    expect(new Set(kinds)).toEqual(new Set(["insufficient-capacity"]));
    expect(await freeGpus()).toBe(2);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("are never refused because another that fails in the end held some for a while", async () => {
    // 5 GPUs a time leave 3 on every host, so a launch of three fives needs three hosts and most of them fail.
    await gpuHosts(7);
    const product = await smallProduct(5);
    const { launched, kinds } = await launchAtOnce(30, { instanceType: product.name, quantity: 3 });
    expect(launched).toHaveLength(2);
    expect(new Set(kinds)).toEqual(new Set(["insufficient-capacity"]));
    expect(await freeGpus()).toBe(7 * 8 - 2 * 15);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("stay within one region each, also while several regions fill up", async () => {
    for (const region of ["east", "north", "west"]) await gpuHosts(2, region);
    const product = await smallProduct(1);
    const { launched } = await launchAtOnce(40, { instanceType: product.name, quantity: 3, region: "any" });
    for (const group of launched) expect(new Set(group.map((one) => one.region.name)).size).toBe(1);
    // 16 GPUs a region are five launches and one GPU that is left over.
    expect(launched).toHaveLength(15);
    expect(await freeGpus()).toBe(3);
  });
});

describe("launches of many sizes at once", () => {
  it("keep the books right and leave no room that any refused one would have fitted into", async () => {
    await gpuHosts(6);
    const products = await Promise.all([1, 2, 4, 8].map(smallProduct));
    const results = await Promise.all(products.map((product) => launchAtOnce(15, { instanceType: product.name })));
    for (const { kinds } of results) expect([[], ["insufficient-capacity"]]).toContainEqual([...new Set(kinds)]);
    expect(await booksDisagree(world.db)).toEqual([]);
    const fullest = await world.db.selectFrom("gpu_pools").select("free").orderBy("free", "desc").execute();
    results.forEach(({ kinds }, index) => {
      if (kinds.length > 0) expect(fullest[0]?.free).toBeLessThan(products[index]?.gpus ?? 0);
    });
  });
});

describe("a launch that meets another's locks", () => {
  it("takes a host that nobody has locked, without waiting", async () => {
    await world.host({ name: "locked", gpus: 1 });
    await world.host({ name: "open", gpus: 8 });
    const product = await smallProduct(1);
    await using other = await begin(crowd);
    expect(await lock(other.tx, "locked")).toBe(true);
    const instance = await world.launchOne(onlyTenant(), { instanceType: product.name });
    expect(instance.host).toBe("open");
  });

  it("waits for the last place, and gets it when the other rolls back", async () => {
    await world.host({ gpus: 1 });
    const product = await smallProduct(1);
    await using other = await begin(crowd);
    await launch(other.tx, world.service, onlyTenant(), launchOrder({ instanceType: product.name }));
    const waiting = world.launch(onlyTenant(), { instanceType: product.name });
    await untilWaiting(crowd);
    await other.rollback();
    expect(await waiting).toHaveLength(1);
  });

  it("waits for the last place, and is refused when the other commits", async () => {
    await world.host({ gpus: 1 });
    const product = await smallProduct(1);
    await using other = await begin(crowd);
    await launch(other.tx, world.service, onlyTenant(), launchOrder({ instanceType: product.name }));
    const waiting = refusal("insufficient-capacity", world.launch(onlyTenant(), { instanceType: product.name }));
    await untilWaiting(crowd);
    await other.commit();
    expect((await waiting).regionsWithCapacity).toEqual([]);
  });

  it("takes what the other left of a host it had to wait for", async () => {
    await world.host({ gpus: 4 });
    const product = await smallProduct(1);
    await using other = await begin(crowd);
    await launch(other.tx, world.service, onlyTenant(), launchOrder({ instanceType: product.name, quantity: 2 }));
    const waiting = world.launch(onlyTenant(), { instanceType: product.name, quantity: 2 });
    await untilWaiting(crowd);
    await other.commit();
    expect(await waiting).toHaveLength(2);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("never waits for a host before one that it has, though there is room on it again: else two could wait in a circle", async () => {
    for (const name of ["a", "b", "c"]) await world.host({ name, gpus: 2 });
    const product = await smallProduct(1);
    const ending = await world.launch(onlyTenant(), { instanceType: product.name, quantity: 2 });
    expect(ending.map(({ host }) => host)).toEqual(["a", "a"]);
    await using onB = await begin(crowd);
    expect(await lock(onB.tx, "b")).toBe(true);
    const waiting = world.launch(onlyTenant(), { instanceType: product.name, quantity: 4 });
    await untilWaiting(crowd);
    for (const { id } of ending) await remove(id);
    await using onA = await begin(crowd);
    expect(await lock(onA.tx, "a")).toBe(true);
    await onB.rollback();
    expect((await waiting).map(({ host }) => host)).toEqual(["b", "b", "c", "c"]);
    expect(await booksDisagree(world.db)).toEqual([]);
  });

  it("does not go to a host that was cordoned while it waited for it", async () => {
    const host = await world.host({ gpus: 4 });
    const product = await smallProduct(1);
    await using operator = await begin(crowd);
    await operator.tx.updateTable("hosts").set({ mode: "cordoned" }).where("name", "=", host).execute();
    const waiting = refusal("insufficient-capacity", world.launch(onlyTenant(), { instanceType: product.name }));
    await untilWaiting(crowd);
    await operator.commit();
    await waiting;
  });
});

/** Locks the host, unless somebody else has. */
async function lock(tx: Transaction, host: string): Promise<boolean> {
  const { rows } = await sql`select from hosts where name = ${host} for update skip locked`.execute(tx);
  return rows.length === 1;
}

/** The instance ends, and what it held is free. */
async function remove(id: string): Promise<void> {
  await world.change(onlyTenant(), "terminate", [id]);
  await world.tx((tx) => recordObservation(tx, { id, generation: 2 }, "removed", {}));
}

function onlyTenant(): Principal {
  const [first] = principals;
  if (first === undefined) throw new Error("no principals");
  return first;
}
