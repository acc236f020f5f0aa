// What a listing shows of capacity: never older than the moment it was asked for, whoever changed it and in whatever
// order transactions end. The interleavings are written out by hand; random histories are in mirror-history.test.ts.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { begin, beginWithId } from "../../../test/support/interleave.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InstanceType } from "../instances/instance.ts";
import { CapacityCache, type CapacityView } from "./cache.ts";

const world = worldOfFile();
let product: InstanceType;
let mirror: CapacityCache;

beforeEach(async () => {
  product = await world.product({ gpus: 1 });
  mirror = new CapacityCache(world.db);
});

const plain = (view: CapacityView) => Object.fromEntries(view.get(product.name) ?? []);
/** How many of the product fit, by region. */
const look = async () => plain(await mirror.view([product]));

/** Takes vCPUs from a host, as a launch would, so that nothing of the product fits any more. */
const fill = (db: Database | Transaction, host: string) =>
  db.updateTable("hosts").set({ free_vcpus: 0 }).where("name", "=", host).execute();
const remove = (db: Database | Transaction, host: string) => db.deleteFrom("hosts").where("name", "=", host).execute();
const addAgain = (db: Database | Transaction, host: string) =>
  sql`insert into hosts (name, engine, region, vcpus, memory_gib, storage_gb, free_vcpus, free_memory_gib, free_storage_gb)
      values (${host}, 'simulated', 'north', 64, 512, 4000, 64, 512, 4000)`.execute(db);

describe("the capacity on a listing", () => {
  it("is counted by product and region, over all hosts", async () => {
    await world.host({ gpus: 8 });
    await world.host({ gpus: 2 });
    await world.host({ region: "south", gpus: 3 });
    expect(await look()).toEqual({ north: 10, south: 3 });
  });

  it("is counted over all hosts, however many pages they are", async () => {
    for (let host = 0; host < 5; host++) await world.host({ gpus: 1 });
    const paged = new CapacityCache(world.db, 2);
    expect(plain(await paged.view([product]))).toEqual({ north: 5 });
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
    expect(plain(await paged.view([product]))).toEqual({});
  });

  it("leaves out regions and products without any", async () => {
    await world.host({ region: "plain" });
    expect((await mirror.view([product])).get(product.name)).toBeUndefined();
  });

  it("shows a launch at once, and the room it leaves", async () => {
    await world.image();
    await world.host({ gpus: 8 });
    expect(await look()).toEqual({ north: 8 });
    await world.launch(await world.account(), { instanceType: product.name, quantity: 3 });
    expect(await look()).toEqual({ north: 5 });
  });

  it("leaves out a host while it is cordoned or away, and has it again afterwards", async () => {
    const host = await world.host({ gpus: 8 });
    const set = (values: { mode: string } | { available: boolean }) =>
      world.db.updateTable("hosts").set(values).where("name", "=", host).execute();
    for (const [closed, open] of [
      [{ mode: "cordoned" }, { mode: "up" }],
      [{ mode: "draining" }, { mode: "up" }],
      [{ available: false }, { available: true }],
    ] as const) {
      await set(closed);
      expect(await look()).toEqual({});
      await set(open);
      expect(await look()).toEqual({ north: 8 });
    }
  });

  it("follows a host that moves to another region", async () => {
    const host = await world.host({ gpus: 8 });
    await world.region("south");
    await look();
    await world.db.updateTable("hosts").set({ region: "south" }).where("name", "=", host).execute();
    expect(await look()).toEqual({ south: 8 });
  });

  it("forgets a host that is removed, and knows it again when it comes back", async () => {
    const host = await world.host();
    product = await world.product({ gpus: 0 });
    expect(await look()).toEqual({ north: 8 });
    await remove(world.db, host);
    expect(await look()).toEqual({});
    await addAgain(world.db, host);
    expect(await look()).toEqual({ north: 8 });
    expect(await look()).toEqual({ north: 8 });
  });

  it("follows the catalogue: a product that needs more, one that is new, one that is gone", async () => {
    await world.host({ gpus: 8 });
    const twice = await world.product({ gpus: 2 });
    expect([...(await mirror.view([product])).keys()]).toEqual([product.name]);
    expect((await mirror.view([product, twice])).get(twice.name)?.get("north")).toBe(4);
    const larger = { ...product, gpus: 4 };
    expect((await mirror.view([larger])).get(product.name)?.get("north")).toBe(2);
    expect((await mirror.view([])).size).toBe(0);
  });
});

describe("a change that is not committed yet", () => {
  it("is not shown", async () => {
    const host = await world.host({ gpus: 8 });
    await using other = await begin(world.db);
    await fill(other.tx, host);
    expect(await look()).toEqual({ north: 8 });
    await other.rollback();
    expect(await look()).toEqual({ north: 8 });
  });

  it("is shown as soon as it is, though its transaction began long before", async () => {
    const host = await world.host({ gpus: 8 });
    await using early = await beginWithId(world.db);
    await fill(early.tx, host);
    expect(await look()).toEqual({ north: 8 });
    await early.commit();
    expect(await look()).toEqual({});
  });

  it("is shown though others, which began later, were committed and seen before", async () => {
    const [slow, quick] = [await world.host({ gpus: 8 }), await world.host({ gpus: 4 })];
    await using early = await beginWithId(world.db);
    await fill(world.db, quick);
    expect(await look()).toEqual({ north: 8 });
    await fill(early.tx, slow);
    await fill(world.db, quick);
    expect(await look()).toEqual({ north: 8 });
    await early.commit();
    expect(await look()).toEqual({});
  });

  it("is shown for a host that an older transaction writes after a younger one", async () => {
    const host = await world.host({ gpus: 8 });
    await using older = await beginWithId(world.db);
    await fill(world.db, host);
    expect(await look()).toEqual({});
    await older.tx.updateTable("hosts").set({ free_vcpus: 64 }).where("name", "=", host).execute();
    await older.commit();
    expect(await look()).toEqual({ north: 8 });
  });
});

describe("a host that is removed and added again", () => {
  it("stays known, though the adding transaction is the older one and a third is still running", async () => {
    product = await world.product({ gpus: 0 });
    const host = await world.host();
    await using adding = await beginWithId(world.db);
    await using running = await beginWithId(world.db);
    await remove(world.db, host);
    await addAgain(adding.tx, host);
    await adding.commit();
    expect(await look()).toEqual({ north: 8 });
    expect(await look()).toEqual({ north: 8 });
    await running.commit();
    expect(await look()).toEqual({ north: 8 });
  });
});

describe("the order of hosts", () => {
  const best = async () => {
    await mirror.refresh();
    return [...mirror.order.bestFirst("north", product)].map(({ name }) => name);
  };

  it("knows the NUMA nodes of free GPUs, and which hosts nobody uses", async () => {
    await world.image();
    await world.host({ name: "large", gpus: 8 });
    await world.host({ name: "small", gpus: 2 });
    await world.launch(await world.account(), { instanceType: product.name });
    await mirror.refresh();
    expect([...mirror.order.bestFirst("north", product)].map(({ name, gpus }) => [name, gpus.get("H100")])).toEqual([
      ["small", { total: 2, free: 1, freeByNode: [0, 1] }],
      ["large", { total: 8, free: 8, freeByNode: [4, 4] }],
    ]);
  });

  it("follows the catalog: GPUs that the host's CPU does not suffice for count less from its next change on", async () => {
    await world.host({ name: "rich", gpus: 3 });
    await world.host({ name: "short", gpus: 4, vcpus: 16 });
    expect(await best()).toEqual(["short", "rich"]);
    await world.db.updateTable("instance_types").set({ vcpus: 4 }).where("name", "=", product.name).execute();
    expect(await best()).toEqual(["rich", "short"]);
  });
});
