// What a reader of events can rely on: it misses none and sees none twice, however transactions overlap, and what
// happened to one thing comes in the order in which it happened.
//
// An event shows when no older transaction is running on the whole server, other tests' included: hence `eventually`.

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { recordAny } from "../../../test/support/any-events.ts";
import { begin, beginWithId, eventually } from "../../../test/support/interleave.ts";
import { refusal } from "../../../test/support/refusals.ts";
import { only, worldOfFile } from "../../../test/support/world.ts";
import type { Transaction } from "../../database/connect.ts";
import { type EventFilter, eventsAfter, readEvents, type StoredEvent } from "./event-store.ts";

const world = worldOfFile();
let accountId: string;
beforeEach(async () => {
  accountId = (await world.account()).accountId;
});

const record = (tx: Transaction, ...types: string[]) =>
  recordAny(
    tx,
    types.map((type) => ({ accountId, type, subjectId: accountId, data: { told: type } })),
  );
const read = (after?: string, limit = 100) => eventsAfter(world.db, accountId, after, limit);
const types = (events: readonly StoredEvent[]) => events.map((event) => event.type);
/** All events, once there are that many. */
const readAll = (count: number) =>
  eventually(
    () => read(),
    (events) => events.length >= count,
  );

describe("events", () => {
  it("are read in the order they were written, with type, time, data and an id of their own", async () => {
    await world.tx((tx) => record(tx, "a.first", "a.second"));
    const events = await readAll(2);
    expect(types(events)).toEqual(["a.first", "a.second"]);
    expect(events[0]?.data).toEqual({ told: "a.first" });
    expect(Math.abs(Date.now() - (events[0]?.timestamp.getTime() ?? 0))).toBeLessThan(60_000);
    expect(new Set(events.map((event) => event.id)).size).toBe(2);
  });

  it("of another account are not there", async () => {
    await world.tx((tx) => record(tx, "a.mine"));
    const other = await world.account();
    await readAll(1);
    expect(await eventsAfter(world.db, other.accountId, undefined, 10)).toEqual([]);
  });

  it("of a transaction that is rolled back never were", async () => {
    await using undone = await begin(world.db);
    await record(undone.tx, "a.undone");
    await undone.rollback();
    await world.tx((tx) => record(tx, "a.done"));
    expect(types(await readAll(1))).toEqual(["a.done"]);
  });

  it("show soon on a quiet server, without anything else happening", async () => {
    await world.tx((tx) => record(tx, "a.last"));
    expect(types(await readAll(1))).toEqual(["a.last"]);
  });
});

describe("a cursor", () => {
  it("goes on after the event it came with, page by page", async () => {
    for (const type of ["a.1", "a.2", "a.3", "a.4", "a.5"]) await world.tx((tx) => record(tx, type));
    await readAll(5);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = await read(cursor, 2); page.length > 0; page = await read(cursor, 2)) {
      seen.push(...types(page));
      cursor = page.at(-1)?.cursor;
    }
    expect(seen).toEqual(["a.1", "a.2", "a.3", "a.4", "a.5"]);
  });

  it("within one transaction's events works like any other", async () => {
    await world.tx((tx) => record(tx, "a.1", "a.2", "a.3"));
    const [first] = await readAll(3);
    expect(types(await read(first?.cursor))).toEqual(["a.2", "a.3"]);
  });

  for (const bad of [
    "",
    "1",
    "x.1",
    "1.",
    "-1.2",
    "1.2.3",
    "99999999999999999999.1",
    "1.9999999999999999999",
    "1.2 ",
  ]) {
    it(`that no answer ever gave is refused: ${JSON.stringify(bad)}`, async () => {
      expect((await refusal("invalid-parameters", read(bad))).fields).toHaveProperty("cursor");
    });
  }

  it("beyond every event shows nothing, rather than failing", async () => {
    expect(await read("9999999999999999999.999999999999999999")).toEqual([]);
  });
});

describe("transactions that overlap", () => {
  it("do not hide the event of one that wrote first and commits last", async () => {
    await using slow = await begin(world.db);
    await record(slow.tx, "slow");
    await world.tx((tx) => record(tx, "quick"));
    const before = await read();
    await slow.commit();
    const rest = await eventually(
      () => read(before.at(-1)?.cursor),
      (events) => events.length + before.length >= 2,
    );
    expect(types([...before, ...rest]).sort()).toEqual(["quick", "slow"]);
  });

  it("do not hide the event of one that began first, wrote last and commits last", async () => {
    await using slow = await beginWithId(world.db);
    await world.tx((tx) => record(tx, "quick"));
    const before = await read();
    await record(slow.tx, "slow");
    await slow.commit();
    const rest = await eventually(
      () => read(before.at(-1)?.cursor),
      (events) => events.length + before.length >= 2,
    );
    expect(types([...before, ...rest]).sort()).toEqual(["quick", "slow"]);
  });

  it("never make a reader see an event twice or miss one, wherever it looks between their steps", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    const look = async () => {
      const events = await read(cursor);
      seen.push(...types(events));
      cursor = events.at(-1)?.cursor ?? cursor;
    };
    const open = [await beginWithId(world.db), await begin(world.db), await beginWithId(world.db)];
    const [a, b, c] = open.map((one) => one.tx);
    if (a === undefined || b === undefined || c === undefined) throw new Error("three were begun");
    await look();
    await record(c, "c.1");
    await look();
    await record(a, "a.1");
    await record(b, "b.1");
    await look();
    await record(c, "c.2");
    await open[2]?.commit();
    await look();
    await world.tx((tx) => record(tx, "d.1"));
    await record(a, "a.2");
    await look();
    await open[1]?.commit();
    await look();
    await open[0]?.commit();
    await eventually(look, () => seen.length >= 6);
    expect(seen).toHaveLength(6);
    expect(new Set(seen)).toEqual(new Set(["a.1", "a.2", "b.1", "c.1", "c.2", "d.1"]));
  });

  it("keep the order of what happened to one thing, though the one that wrote last has the older id", async () => {
    // As with a batch that holds one instance and waits for another, which an engine's report has locked.
    await using older = await beginWithId(world.db);
    await world.tx((tx) => record(tx, "instance.active"));
    await record(older.tx, "instance.stopping");
    await older.commit();
    expect(types(await readAll(2))).toEqual(["instance.active", "instance.stopping"]);
  });

  it("are all read by a reader that follows while many write", async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    const writers = Array.from({ length: 6 }, async (_, writer) => {
      for (let n = 0; n < 15; n++) await world.tx((tx) => record(tx, `${writer}.${n}`, `${writer}.${n}+`));
    });
    const follow = eventually(
      async () => {
        const events = await read(cursor, 7);
        seen.push(...types(events));
        cursor = events.at(-1)?.cursor ?? cursor;
      },
      () => seen.length >= 180,
    );
    await Promise.all([...writers, follow]);
    expect(new Set(seen).size).toBe(180);
    for (let writer = 0; writer < 6; writer++) {
      const own = seen.filter((type) => type.startsWith(`${writer}.`));
      expect(own).toEqual(Array.from({ length: 15 }, (_, n) => [`${writer}.${n}`, `${writer}.${n}+`]).flat());
    }
  });
});

describe("recording", () => {
  it("nothing writes nothing", async () => {
    await world.tx((tx) => recordAny(tx, []));
    expect(await world.db.selectFrom("events").selectAll().execute()).toEqual([]);
  });

  it("keeps quotes, unicode and nesting in the data as they are", async () => {
    const data = { text: `"quoted" \\ {a,b} 'ünïcode' 🦊`, list: [1, null, { deep: true }] };
    await world.tx((tx) => recordAny(tx, [{ accountId, type: "a.b", subjectId: randomUUID(), data }]));
    expect(only(await readAll(1)).data).toEqual(data);
  });

  it("for an account that does not exist is refused by the database", async () => {
    const event = { accountId: randomUUID(), type: "a.b", subjectId: randomUUID(), data: {} };
    await expect(world.tx((tx) => recordAny(tx, [event]))).rejects.toThrow("foreign key");
    await sql`select 1`.execute(world.db);
  });
});

describe("looking for what is rare", () => {
  /** So many events of one type, in one statement. */
  const often = (count: number) =>
    sql`insert into events (account_id, type, subject_id, data)
      select ${accountId}, 'token.created', gen_random_uuid(), '{}' from generate_series(1, ${count}::integer)`.execute(
      world.db,
    );

  /** Every page, of so many events looked at, until there is no more at this moment. */
  async function pages(filter: Omit<EventFilter, "accountId">, walk?: number, limit = 2): Promise<StoredEvent[][]> {
    const all: StoredEvent[][] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await readEvents(world.db, { accountId, ...filter }, cursor, limit, walk);
      all.push(page.events);
      cursor = page.goOnAfter;
      if (!page.hasMore) return all;
    }
  }

  it("goes over fifty thousand others page by page, none of which looks at more than so many", async () => {
    await world.tx((tx) => record(tx, "ssh_key.created"));
    await often(50_000);
    const subjectId = randomUUID();
    const last = { accountId, type: "instance.active", subjectId, data: {} } as const;
    await world.tx((tx) => recordAny(tx, [last]));
    await eventually(
      () => eventsAfter(world.db, accountId, undefined, 60_000),
      (events) => events.length >= 50_002,
    );
    const filters = [{ types: ["instance.*"] }, { subjectId }, { types: ["instance.active"], subjectId }];
    for (const filter of filters) {
      const found = await pages(filter);
      expect(types(found.flat())).toEqual(["instance.active"]);
      // Five thousand at a time: a page that looked at more would have made for fewer.
      expect(found).toHaveLength(11);
      expect(types((await pages(filter, 60_000)).flat())).toEqual(["instance.active"]);
    }
    expect(types((await pages({ types: ["instance.*", "ssh_key.*"] })).flat())).toEqual([
      "ssh_key.created",
      "instance.active",
    ]);
  });

  it("finds each once, whether pages are full of what is wanted or of what is not", async () => {
    const written = Array.from({ length: 40 }, (_, n) => (n % 7 === 0 || n > 30 ? "ssh_key.created" : "token.created"));
    for (const type of written) await world.tx((tx) => record(tx, type));
    const all = (await readAll(40)).filter(({ type }) => type === "ssh_key.created").map(({ id }) => id);
    expect(all).toHaveLength(14);
    for (const walk of [1, 2, 3, 8, 39, 40, 41]) {
      for (const limit of [1, 2, 5, 100]) {
        const found = await pages({ types: ["ssh_key.*"] }, walk, limit);
        expect(found.flat().map(({ id }) => id)).toEqual(all);
      }
    }
  });

  it("passes by once what is not wanted: whoever asks again goes on behind it", async () => {
    await often(10);
    const events = await readAll(10);
    const end = await readEvents(world.db, { accountId, types: ["instance.*"] }, undefined, 2);
    expect(end).toEqual({ events: [], goOnAfter: events.at(-1)?.cursor, hasMore: false });
    await world.tx((tx) => record(tx, "instance.active"));
    const { events: later } = await eventually(
      () => readEvents(world.db, { accountId, types: ["instance.*"] }, end.goOnAfter, 2),
      (page) => page.events.length > 0,
    );
    expect(types(later)).toEqual(["instance.active"]);
  });
});
