// When capacity is announced, and whom it is told: once for each change that has lasted, whatever dies meanwhile and
// however many replicas read.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { changingNothing } from "../../../test/support/refusals.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { Waiting } from "../../../test/support/waiting.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import { CapacityCache } from "../capacity/cache.ts";
import { deleteInstanceType } from "../catalog/instance-type-store.ts";
import type { Instance } from "../instances/instance.ts";
import type { Principal } from "../service.ts";
import { announceCapacity } from "./announce.ts";
import { isAnnouncing } from "./announced-capacity.ts";
import { createNotice, deleteNotice, listNotices, type NoticeOrder } from "./notice-store.ts";
import { seenCapacity } from "./seen-capacity.ts";

const world = worldOfFile();
const waiting = new Waiting(world);
let ann: Principal;
let bob: Principal;

beforeEach(async () => {
  await world.image();
  await world.host({ name: "a", gpus: 2 });
  await world.product({ name: "one", gpus: 1 });
  await world.product({ name: "two", gpus: 2 });
  [ann, bob] = [await waiting.customer(), await waiting.customer()];
});

const capacity = () => world.service.capacity;
const read = (cache = capacity()) => announceCapacity(world.db, cache);

async function notice(of: Principal, order: NoticeOrder = {}) {
  const seen = await seenCapacity(world.db, capacity());
  return world.tx((tx) => createNotice(tx, of, order, seen));
}

/** Seconds pass, with a reading each five. */
async function pass(seconds: number): Promise<void> {
  await read();
  for (let passed = 0; passed < seconds; passed += 5) {
    await travel(world.db, "5 seconds");
    await read();
  }
}

/** Takes both GPUs; the result gives them back. */
async function taken(): Promise<() => Promise<void>> {
  const { id }: Instance = await world.launchOne(bob, { instanceType: "two" });
  return () => waiting.end(bob, id);
}

/** As written: readers see them when no older transaction runs. */
async function told({ accountId }: Principal) {
  const { rows } = await sql<{ data: unknown }>`
    select data from events where account_id = ${accountId} and type = 'capacity.available' order by position`.execute(
    world.db,
  );
  return rows.map(({ data }) => data);
}

/** By type and region, what is told. */
const placesOf = async (principal: Principal) =>
  (await told(principal)).map((data) => {
    const { instance_type: type, region } = (data as { capacity: { instance_type: string; region: string } }).capacity;
    return `${type} in ${region}`;
  });

describe("an account with a notice", () => {
  it("is told once of capacity that has come and stays", async () => {
    const free = await taken();
    const { id } = await notice(ann, { instanceType: "one" });
    await pass(20);
    await free();
    await pass(10);
    expect(await told(ann)).toEqual([]);
    await pass(30);
    const capacity = { instance_type: "one", region: "north", available: 2 };
    expect(await told(ann)).toEqual([{ capacity, notice_ids: [id] }]);
    expect(await told(bob)).toEqual([]);
  });

  it("is told again when it was gone for a minute, and not when it was gone for less", async () => {
    const first = await taken();
    await notice(ann, { instanceType: "one" });
    await first();
    await pass(20);
    const second = await taken();
    await pass(50);
    await second();
    await pass(30);
    expect(await told(ann)).toHaveLength(1);
    const third = await taken();
    await pass(65);
    await third();
    await pass(20);
    expect(await told(ann)).toHaveLength(2);
  });

  it("is told nothing of capacity that comes and goes", async () => {
    let free = await taken();
    await notice(ann);
    for (let turn = 0; turn < 5; turn++) {
      await pass(5);
      await free();
      await pass(10);
      free = await taken();
    }
    expect(await told(ann)).toEqual([]);
  });

  it("is not told of what was there when it asked, before it was gone", async () => {
    expect(await notice(ann, { instanceType: "one" })).toMatchObject({
      available: [{ instanceType: "one", region: "north", since: expect.any(Date) }],
    });
    await pass(30);
    expect(await told(ann)).toEqual([]);
    const free = await taken();
    await pass(65);
    expect(await listNotices(world.db, ann)).toMatchObject([{ available: [] }]);
    await free();
    await pass(20);
    expect(await told(ann)).toHaveLength(1);
    expect(await listNotices(world.db, ann)).toMatchObject([{ available: [{ region: "north" }] }]);
  });

  it("gets one event of a place, however many of its notices name it, and none of others", async () => {
    const free = await taken();
    const ids = [await notice(ann, { instanceType: "one" }), await notice(ann, { region: "north" })].map(
      (one) => one.id,
    );
    await world.region("south");
    await notice(bob, { region: "south" });
    await notice(bob, { instanceType: "two", region: "north" });
    await free();
    await pass(20);
    expect(await placesOf(ann)).toEqual(["one in north", "two in north"]);
    expect((await told(ann))[0]).toMatchObject({ notice_ids: ids });
    expect(await placesOf(bob)).toEqual(["two in north"]);
  });

  it("is told of a region and of an instance type that are new", async () => {
    await notice(ann);
    await pass(5);
    await world.host({ name: "b", region: "south", gpus: 1 });
    await pass(20);
    expect(await placesOf(ann)).toEqual(["one in south"]);
    await world.product({ name: "cpu", gpus: 0 });
    await pass(20);
    expect((await placesOf(ann)).slice(1).sort()).toEqual(["cpu in north", "cpu in south"]);
  });

  it("is told nothing more once it has deleted it", async () => {
    const free = await taken();
    const { id } = await notice(ann);
    await notice(bob, { instanceType: "two" });
    await world.tx((tx) => deleteNotice(tx, ann, id));
    await free();
    await pass(20);
    expect([await told(ann), await placesOf(bob)]).toEqual([[], ["two in north"]]);
  });
});

describe("capacity", () => {
  it("that is kept for a launch that waits is not announced, and neither is a cordoned host", async () => {
    const running = [
      await world.launchOne(bob, { instanceType: "one" }),
      await world.launchOne(bob, { instanceType: "one" }),
    ] as const;
    const waits = await waiting.waits(bob, { instanceType: "two" });
    await notice(ann, { instanceType: "one" });
    await waiting.end(bob, running[0].id);
    await waiting.place();
    await pass(30);
    expect(await told(ann)).toEqual([]);
    await world.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
    await world.db.updateTable("waiting_launches").set({ blocked_by: "quota" }).where("id", "=", waits.id).execute();
    await waiting.place();
    await pass(30);
    expect(await told(ann)).toEqual([]);
    await world.db.updateTable("hosts").set({ mode: "up" }).execute();
    await pass(20);
    expect(await placesOf(ann)).toEqual(["one in north"]);
  });

  it("of an instance type that is gone is announced no longer, and anew when it is back", async () => {
    await notice(ann, { instanceType: "one" });
    await world.tx((tx) => deleteInstanceType(tx, "one"));
    await read();
    expect(await listNotices(world.db, ann)).toMatchObject([{ instanceType: "one", available: [] }]);
    await world.product({ name: "one", gpus: 1 });
    await pass(20);
    expect(await placesOf(ann)).toEqual(["one in north"]);
  });

  it("is not watched while there is no notice, which costs one statement and changes nothing", async () => {
    const { id } = await notice(ann);
    await pass(5);
    await world.tx((tx) => deleteNotice(tx, ann, id));
    expect(await isAnnouncing(world.db)).toBe(true);
    await read();
    await changingNothing(world.db, async () => expect(await isAnnouncing(world.db)).toBe(false));
    // The next notice begins with what there is then, not with what there was.
    const free = await taken();
    expect(await notice(ann)).toMatchObject({ available: [] });
    await free();
    await pass(20);
    expect(await placesOf(ann)).toEqual(["one in north", "two in north"]);
  });
});

describe("replicas", () => {
  it("that read at once tell of a change once, also when one dies in the middle of it", async () => {
    const free = await taken();
    await notice(ann, { instanceType: "one" });
    await free();
    await read();
    await travel(world.db, "15 seconds");
    await sql`create function fails() returns trigger language plpgsql as $$ begin raise 'killed'; end $$`.execute(
      world.db,
    );
    await sql`create trigger fails before insert on events execute function fails()`.execute(world.db);
    await expect(read()).rejects.toThrow("killed");
    await sql`drop function fails cascade`.execute(world.db);
    expect([await told(ann), (await listNotices(world.db, ann))[0]?.available]).toEqual([[], []]);
    const caches = [1, 2, 3].map(() => new CapacityCache(world.db));
    const all = await Promise.all(caches.flatMap((cache) => [read(cache), read(cache)]));
    // Of both types, by one of them.
    expect(all.filter((count) => count > 0)).toEqual([2]);
    expect(await told(ann)).toHaveLength(1);
  });

  it("count no reading that is older than one that was counted", async () => {
    const free = await taken();
    await notice(ann, { instanceType: "one" });
    const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = {
      view: async () => {
        begun.resolve();
        await late.promise;
        return new Map([["one", new Map([["north", 1]])]]);
      },
    };
    const stalled = announceCapacity(world.db, slow);
    await begun.promise;
    expect(await read()).toBe(0);
    late.resolve();
    await stalled;
    expect(await world.db.selectFrom("announced_capacity").selectAll().execute()).toEqual([]);
    await free();
    await pass(10);
    expect(await told(ann)).toEqual([]);
  });
});

it("is told of many instance types at once, each once", async () => {
  for (let n = 0; n < 25; n++) await world.product({ name: `cpu-${n}`, gpus: 0, vcpus: 1 });
  await world.db.updateTable("hosts").set({ mode: "cordoned" }).execute();
  await notice(ann);
  await world.db.updateTable("hosts").set({ mode: "up" }).execute();
  await pass(20);
  const places = await placesOf(ann);
  expect([places.length, new Set(places).size]).toEqual([27, 27]);
});

it("thousands of accounts are told at once", async () => {
  const free = await taken();
  await notice(ann, { instanceType: "one" });
  await sql`
    with made as (
      insert into accounts (id, name, quota_instances, quota_gpus, quota_vcpus, quota_ssh_keys, quota_file_systems)
      select gen_random_uuid(), n::text, 1, 1, 1, 1, 1 from generate_series(1, 3000) n returning id)
    insert into capacity_notices (id, account_id, instance_type) select gen_random_uuid(), id, 'one' from made`.execute(
    world.db,
  );
  await free();
  await pass(20);
  const { rows } = await sql<{ accounts: number; events: number }>`
    select count(distinct account_id)::integer as accounts, count(*)::integer as events
    from events where type = 'capacity.available'`.execute(world.db);
  expect(only(rows)).toEqual({ accounts: 3001, events: 3001 });
});
