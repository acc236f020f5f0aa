import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase, type FreshDatabase } from "../../test/support/database.ts";
import { connect } from "./connect.ts";
import { isUnavailable } from "./unavailable.ts";

let database: FreshDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(() => database.close());

async function selected(expression: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select ${sql.raw(expression)} as value`.execute(database.db);
  return rows[0]?.value;
}

describe("a value from the database", () => {
  it("is a number for an int8, also in an array and as a count", async () => {
    expect(await selected("9007199254740991::int8")).toBe(9007199254740991);
    expect(await selected("array[1, null, -3]::int8[]")).toEqual([1, null, -3]);
    expect(await selected("count(*)")).toBe(1);
  });

  it("is refused rather than rounded when an int8 is too large for a number", async () => {
    await expect(selected("9007199254740992::int8")).rejects.toThrow(/^BUG: .*9007199254740992/);
    await expect(selected("array[9007199254740992]::int8[]")).rejects.toThrow(/^BUG: /);
  });

  it("keeps every digit of a numeric, as text", async () => {
    expect(await selected("123456789012345678.90::numeric")).toBe("123456789012345678.90");
  });

  it("is an exact Date for a timestamptz, and text for a date", async () => {
    expect(await selected("'2026-03-04 05:06:07.089+02'::timestamptz")).toEqual(new Date("2026-03-04T03:06:07.089Z"));
    expect(await selected("'2026-03-04'::date")).toBe("2026-03-04");
  });
});

describe("a statement that repeats", () => {
  it("is prepared under a name from its second use on, and no other is", async () => {
    const db = connect({ ...database.config, maxConnections: 1 });
    for (const value of [1, 2, 3]) await sql`select ${value}::int as repeated`.execute(db);
    await sql`select 1 as once`.execute(db);
    const { rows } = await sql<{ statement: string; name: string; runs: number }>`
      select statement, name, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(db);
    await db.destroy();
    expect(rows).toEqual([
      { statement: "select $1::int as repeated", name: expect.stringMatching(/^[\w-]{22}$/), runs: 2 },
    ]);
  });
});

it("finds rows by their index where it is told to, also in a table that was empty when the statement was planned", async () => {
  await sql`create table numbers (n integer primary key)`.execute(database.db);
  const db = connect({ ...database.config, maxConnections: 1, findsByIndex: true });
  const find = (n: number) => sql`select from numbers where n = ${n}`.execute(db);
  for (let n = 0; n < 10; n++) await find(n);
  await sql`insert into numbers select generate_series(1, 1000)`.execute(db);
  await find(1);
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql`select seq_scan::integer from pg_stat_user_tables where relname = 'numbers'`.execute(db);
  await db.destroy();
  expect(rows).toEqual([{ seq_scan: 0 }]);
});

describe("a statement that takes too long", () => {
  it("is ended, and its connection serves the next; the error says that the database does not respond", async () => {
    const db = connect({ ...database.config, maxConnections: 1, statementTimeoutMs: 50 });
    const error: unknown = await sql`select pg_sleep(60)`.execute(db).catch((thrown: unknown) => thrown);
    expect(isUnavailable(error)).toBe(true);
    const { rows } = await sql`select 1 as one`.execute(db);
    await db.destroy();
    expect(rows).toEqual([{ one: 1 }]);
  });

  it("has half a minute unless told, and a transaction may take its time", async () => {
    expect(await selected("current_setting('statement_timeout')")).toBe("30s");
    await database.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx);
      const { rows } = await sql`select current_setting('statement_timeout') as value`.execute(tx);
      expect(rows).toEqual([{ value: "0" }]);
    });
    expect(await selected("current_setting('statement_timeout')")).toBe("30s");
  });
});

describe("a connection that the server ends", () => {
  const terminate = (pid: number) => sql`select pg_terminate_backend(${pid}, 5000)`.execute(database.db);
  const ownPid = async (db: FreshDatabase["db"]) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    return rows[0]?.pid ?? Number.NaN;
  };

  it("is replaced when it was idle, and the log is told", async () => {
    const lost = Promise.withResolvers<string>();
    const db = connect({ ...database.config, maxConnections: 1, log: lost.resolve });
    const before = await ownPid(db);
    await terminate(before);
    expect(await lost.promise).toMatch(/^lost a database connection: /);
    expect(await ownPid(db)).not.toBe(before);
    await db.destroy();
  });

  it("fails the transaction it was in with an error that says unavailable, and the next one works", async () => {
    const db = connect({ ...database.config, maxConnections: 1 });
    const broken = db.transaction().execute(async (tx) => {
      await terminate(await ownPid(tx));
      await sql`select 1`.execute(tx);
    });
    expect(isUnavailable(await broken.catch((error) => error))).toBe(true);
    expect(await ownPid(db)).toBeGreaterThan(0);
    await db.destroy();
  });
});

describe("a connection whose statements must be answered soon", () => {
  it("is cut when one is not, which says that the database does not respond, and is replaced", async () => {
    const db = connect({ ...database.config, maxConnections: 1, answersWithinMs: 300 });
    const began = performance.now();
    const error = await sql`select pg_sleep(20)`.execute(db).catch((reason: unknown) => reason);
    expect(isUnavailable(error)).toBe(true);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect((await sql<{ one: number }>`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    await db.destroy();
  });

  it("is kept while they are, however long it is used in all", async () => {
    const db = connect({ ...database.config, maxConnections: 1, answersWithinMs: 2000 });
    const pids = new Set<unknown>();
    for (let n = 0; n < 15; n++) {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid, pg_sleep(0.2)`.execute(db);
      pids.add(rows[0]?.pid);
    }
    expect(pids.size).toBe(1);
    await db.destroy();
  });

  it("plans a statement once, whatever its values, where that is told", async () => {
    // Over the setting of the tests' server, which plans so for all.
    const url = `${database.config.url}&options=${encodeURIComponent("-c plan_cache_mode=auto")}`;
    const db = connect({ url, maxConnections: 1, plansOnce: true });
    for (const values of [[1], [1, 2], [3], [4]]) await sql`select 1 where 1 = any(${values}::int[])`.execute(db);
    const { rows } = await sql<{ generic: number; custom: number }>`
      select generic_plans as generic, custom_plans as custom from pg_prepared_statements
      where statement like '%any%'`.execute(db);
    await db.destroy();
    expect(rows).toEqual([{ generic: 3, custom: 0 }]);
  });
});
