// What a database that was brought into another cluster can rely on. Another cluster is played by moving what is stored
// far ahead of this one's ids of transactions, which is what a dump from a busy cluster looks like in a fresh one.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { recordAny } from "../../test/support/any-events.ts";
import { begin, beginWithId, eventually } from "../../test/support/interleave.ts";
import { worldOfFile } from "../../test/support/world.ts";
import { CapacityCache } from "../rental/capacity/cache.ts";
import { eventsAfter } from "../rental/events/event-store.ts";
import type { Transaction } from "./connect.ts";
import { mendClock } from "./logical-clock.ts";

const world = worldOfFile();
let accountId: string;
beforeEach(async () => {
  accountId = (await world.account()).accountId;
});

const record = (tx: Transaction, type: string) => recordAny(tx, [{ accountId, type, subjectId: accountId, data: {} }]);
const read = (after?: string) => eventsAfter(world.db, accountId, after, 100);
const readTypes = async (after?: string) => (await read(after)).map(({ type }) => type);
const shows = (types: readonly string[], after?: string) =>
  eventually(
    () => readTypes(after),
    (found) => found.length >= types.length,
  ).then((found) => expect(found).toEqual(types));

/** As if all that is stored came from a cluster with so many more transactions behind it. */
async function cameFromElsewhere(further = 1_000_000_000): Promise<void> {
  await sql`update events set tx = (tx::text::bigint + ${further}::bigint)::text::xid8`.execute(world.db);
  await sql`alter table hosts disable trigger user`.execute(world.db);
  await sql`update hosts set changed_in = (changed_in::text::bigint + ${further}::bigint)::text::xid8`.execute(
    world.db,
  );
  await sql`alter table hosts enable trigger user`.execute(world.db);
  await sql`update removed_hosts set changed_in = (changed_in::text::bigint + ${further}::bigint)::text::xid8`.execute(
    world.db,
  );
}

describe("a database that stayed where it was", () => {
  it("is left as it is", async () => {
    await world.tx((tx) => record(tx, "a"));
    await world.host();
    expect(await mendClock(world.config)).toBe(false);
    expect(await world.db.selectFrom("logical_clock").selectAll().execute()).toEqual([]);
  });

  it("is left as it is also when it has nothing in it", async () => {
    await world.empty();
    expect(await mendClock(world.config)).toBe(false);
  });
});

describe("a database that was brought into a younger cluster", () => {
  it("shows its old events, and new ones after them", async () => {
    for (const type of ["a", "b"]) await world.tx((tx) => record(tx, type));
    await cameFromElsewhere();
    expect(await readTypes()).toEqual([]);
    expect(await mendClock(world.config)).toBe(true);
    for (const type of ["c", "d"]) await world.tx((tx) => record(tx, type));
    await shows(["a", "b", "c", "d"]);
  });

  it("goes on for readers with a cursor of before", async () => {
    for (const type of ["a", "b"]) await world.tx((tx) => record(tx, type));
    await cameFromElsewhere();
    await mendClock(world.config);
    const [first] = await eventually(read, (events) => events.length === 2);
    await world.tx((tx) => record(tx, "c"));
    await shows(["b", "c"], first?.cursor);
  });

  it("goes on for readers whose cursor is of after the backup was taken", async () => {
    await world.tx((tx) => record(tx, "a"));
    const { tx } = await world.db.selectFrom("events").select("tx").executeTakeFirstOrThrow();
    await cameFromElsewhere();
    await mendClock(world.config);
    await world.tx((one) => record(one, "c"));
    // A year of a thousand transactions a second later.
    await shows(["c"], `${BigInt(tx) + 1_000_000_000n + 31_536_000_000n}.999999`);
  });

  it("is mended once, by whichever of several servers comes first", async () => {
    await world.tx((tx) => record(tx, "a"));
    await cameFromElsewhere();
    const mended = await Promise.all([mendClock(world.config), mendClock(world.config), mendClock(world.config)]);
    expect(mended.filter(Boolean)).toHaveLength(1);
    expect(await mendClock(world.config)).toBe(false);
  });

  it("may be brought into another one again and again", async () => {
    const types: string[] = [];
    for (let time = 0; time < 4; time++) {
      await world.tx((tx) => record(tx, `${time}`));
      types.push(`${time}`);
      await cameFromElsewhere(3 * 2 ** 40);
      expect(await mendClock(world.config)).toBe(true);
    }
    await shows(types);
  });

  it("whose hosts alone are ahead is mended too", async () => {
    await world.host();
    await cameFromElsewhere();
    expect(await mendClock(world.config)).toBe(true);
  });

  it("whose removed hosts alone are ahead is mended too", async () => {
    const name = await world.host();
    await sql`delete from hosts where name = ${name}`.execute(world.db);
    await cameFromElsewhere();
    expect(await mendClock(world.config)).toBe(true);
  });
});

describe("mending while others write", () => {
  it("waits for who wrote by the old clock, and hides none of it", async () => {
    await world.tx((tx) => record(tx, "a"));
    await cameFromElsewhere();
    await using slow = await begin(world.db);
    await record(slow.tx, "slow");
    let done = false;
    const mending = mendClock(world.config).then(() => {
      done = true;
    });
    await eventually(
      () => sql`select 1 from pg_locks where not granted and relation = 'events'::regclass`.execute(world.db),
      ({ rows }) => rows.length > 0,
    );
    expect(done).toBe(false);
    await slow.commit();
    await mending;
    await world.tx((tx) => record(tx, "b"));
    // What was written by the old clock meanwhile lies among what came from elsewhere; nothing is lost.
    const types = await eventually(
      () => readTypes(),
      (found) => found.length === 3,
    );
    expect(new Set(types)).toEqual(new Set(["a", "slow", "b"]));
    expect(types.at(-1)).toBe("b");
  });

  it("gives a transaction that is older, and writes only afterwards, a place after all that is stored", async () => {
    await world.tx((tx) => record(tx, "a"));
    await cameFromElsewhere();
    await using older = await beginWithId(world.db);
    await mendClock(world.config);
    await world.tx((tx) => record(tx, "quick"));
    const before = await read();
    await record(older.tx, "older");
    await older.commit();
    const seen = before.map(({ type }) => type);
    await shows(["a", "quick", "older"].slice(seen.length), before.at(-1)?.cursor);
    expect(seen.slice(0, 1)).toEqual(["a"].slice(0, seen.length));
  });

  it("keeps the listings of every server right", async () => {
    const product = await world.product({ gpus: 0, vcpus: 8 });
    const fits = async (mirror: CapacityCache) => (await mirror.view([product])).get(product.name)?.get("north") ?? 0;
    const mirror = new CapacityCache(world.db);
    const host = await world.host({ vcpus: 16 });
    expect(await fits(mirror)).toBe(2);
    await cameFromElsewhere();
    await using older = await beginWithId(world.db);
    await mendClock(world.config);
    expect(await fits(mirror)).toBe(2);
    await sql`update hosts set free_vcpus = 8 where name = ${host}`.execute(older.tx);
    expect(await fits(mirror)).toBe(2);
    await older.commit();
    expect([await fits(mirror), await fits(new CapacityCache(world.db))]).toEqual([1, 1]);
    await sql`delete from hosts where name = ${host}`.execute(world.db);
    expect([await fits(mirror), await fits(new CapacityCache(world.db))]).toEqual([0, 0]);
  });

  it("lets a listing read again only what changes, not every host for ever", async () => {
    await world.host();
    await cameFromElsewhere();
    const ahead = () =>
      sql<{ ahead: number }>`select count(*)::integer as ahead from hosts where changed_in >= logical_horizon()`
        .execute(world.db)
        .then(({ rows }) => rows[0]?.ahead);
    expect(await ahead()).toBe(1);
    await mendClock(world.config);
    expect(await eventually(ahead, (count) => count === 0)).toBe(0);
  });
});
