// What readers of events can rely on when old ones go: what is kept is whole, and a webhook is told what it has to be.

import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { recordAny } from "../../../test/support/any-events.ts";
import { eventually } from "../../../test/support/interleave.ts";
import { travel } from "../../../test/support/time-travel.ts";
import { worldOfFile } from "../../../test/support/world.ts";
import { mendClock } from "../../database/logical-clock.ts";
import { eventsAfter, parseCursor, type StoredEvent } from "./event-store.ts";
import { deleteOldEvents } from "./retention.ts";

const world = worldOfFile();
let accountId: string;
beforeEach(async () => {
  accountId = (await world.account()).accountId;
});

const never = new AbortController().signal;
const clean = (batch?: number, signal = never) => deleteOldEvents(world.db, 90, signal, batch);
const record = (types: readonly string[], of = accountId) =>
  world.tx((tx) =>
    recordAny(
      tx,
      types.map((type) => ({ accountId: of, type, subjectId: of, data: {} })),
    ),
  );
/** All events of the account that are shown, once those that are there are. */
async function read(after?: string, of = accountId): Promise<StoredEvent[]> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from events where account_id = ${of}`.execute(world.db);
  const all = await eventually(
    () => eventsAfter(world.db, of, undefined, 1000),
    (events) => events.length === rows[0]?.count,
  );
  return after === undefined ? all : eventsAfter(world.db, of, after, 1000);
}
const types = (events: readonly StoredEvent[]) => events.map(({ type }) => type);

/** A webhook that was told everything up to there. */
async function webhook(cursor: string, part: { active?: boolean; of?: string } = {}): Promise<string> {
  const { tx, position } = parseCursor(cursor);
  const id = crypto.randomUUID();
  await sql`insert into webhooks (id, account_id, url, active, secret_sealed, cursor_tx, cursor_position)
    values (${id}, ${part.of ?? accountId}, 'https://example.com', ${part.active ?? true}, '', ${tx}::xid8,
      ${position}::bigint)`.execute(world.db);
  return id;
}

describe("events", () => {
  it("are kept for as many days as are set, and then go, the oldest first, in batches", async () => {
    await record(["a.1", "a.2", "a.3", "a.4", "a.5"]);
    await travel(world.db, "10 days");
    await record(["b.1", "b.2"]);
    await travel(world.db, "79 days 23 hours");
    expect(await clean(2)).toBe(0);
    await travel(world.db, "1 hour 1 second");
    expect(await clean(2)).toBe(5);
    expect(types(await read())).toEqual(["b.1", "b.2"]);
    expect(await clean(2)).toBe(0);
  });

  it("go of all accounts, and stay where they are young", async () => {
    const other = (await world.account()).accountId;
    await record(["a.old"]);
    await record(["b.old"], other);
    await travel(world.db, "91 days");
    await record(["a.young"]);
    expect(await clean()).toBe(2);
    expect([types(await read()), types(await read(undefined, other))]).toEqual([["a.young"], []]);
  });

  it("are not deleted when the server stops", async () => {
    await record(["a.1", "a.2"]);
    await travel(world.db, "91 days");
    const controller = new AbortController();
    controller.abort();
    expect(await clean(1, controller.signal)).toBe(0);
    expect(await read()).toHaveLength(2);
  });

  it("are deleted once by several servers at the same time", async () => {
    await record(Array.from({ length: 40 }, (_, n) => `a.${n}`));
    await travel(world.db, "91 days");
    await record(["a.young"]);
    const counts = await Promise.all([clean(3), clean(5), clean(7)]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(40);
    expect(types(await read())).toEqual(["a.young"]);
  });
});

describe("a reader", () => {
  it("with a cursor that is older than what is kept goes on with the oldest that is", async () => {
    await record(["a.1", "a.2", "a.3"]);
    const [first] = await read();
    await travel(world.db, "91 days");
    await record(["b.1", "b.2"]);
    expect(await clean()).toBe(3);
    expect(types(await read(first?.cursor))).toEqual(["b.1", "b.2"]);
  });

  it("that is up to date misses nothing, and sees nothing twice", async () => {
    await record(["a.1"]);
    const last = (await read()).at(-1)?.cursor;
    await travel(world.db, "91 days");
    await clean();
    await record(["b.1"]);
    await clean();
    await read();
    expect(types(await eventsAfter(world.db, accountId, last, 10))).toEqual(["b.1"]);
  });
});

describe("an event that a webhook has still to be told", () => {
  it("is kept, for that account, while the webhook is on", async () => {
    const other = (await world.account()).accountId;
    await record(["a.1", "a.2", "a.3"]);
    await record(["b.1"], other);
    const [, told] = await read();
    const id = await webhook(told?.cursor ?? "");
    await travel(world.db, "91 days");
    await record(["c.1"], other);
    // Walks over what is kept, also where that is longer than a batch.
    expect(await clean(1)).toBe(3);
    expect(types(await read())).toEqual(["a.3"]);
    expect(types(await read(undefined, other))).toEqual(["c.1"]);
    await sql`update webhooks set active = false where id = ${id}`.execute(world.db);
    expect(await clean()).toBe(1);
  });

  it("is kept for thirty days more and no longer", async () => {
    await record(["a.1"]);
    await webhook("0.0");
    await travel(world.db, "119 days");
    await record(["a.young"]);
    expect(await clean()).toBe(0);
    await travel(world.db, "1 day");
    expect(await clean()).toBe(1);
    expect(types(await read())).toEqual(["a.young"]);
  });
});

it("the newest event stays, however old: by it a start sees that the database was moved to another cluster", async () => {
  await record(["a.1", "a.2"]);
  await sql`update events set tx = (tx::text::bigint + 1000000000)::text::xid8`.execute(world.db);
  await travel(world.db, "900 days");
  expect(await clean()).toBe(1);
  expect(await mendClock(world.config)).toBe(true);
});
