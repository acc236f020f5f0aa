import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase, type FreshDatabase } from "../../test/support/database.ts";
import { connect, isUnavailable } from "./connect.ts";

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
