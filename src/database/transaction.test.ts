import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyDatabase, type FreshDatabase } from "../../test/support/database.ts";
import type { Transaction } from "./connect.ts";
import { inTransaction } from "./transaction.ts";

let database: FreshDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
  await sql`create table counters (name text primary key, value int not null default 0)`.execute(database.db);
  await sql`insert into counters (name) values ('a'), ('b'), ('c')`.execute(database.db);
});
afterAll(() => database.close());

const raise = (tx: Transaction, name: string) =>
  sql`update counters set value = value + 1 where name = ${name}`.execute(tx);

async function counter(name: string): Promise<number | undefined> {
  const { rows } = await sql<{ value: number }>`select value from counters where name = ${name}`.execute(database.db);
  return rows[0]?.value;
}

describe("a transaction", () => {
  it("commits and returns what its body returned", async () => {
    const result = await inTransaction(database.db, async (tx) => {
      await raise(tx, "c");
      return "done";
    });
    expect(result).toBe("done");
    expect(await counter("c")).toBe(1);
  });

  it("is rolled back when its body throws, which reaches the caller, and is not run again", async () => {
    let attempts = 0;
    const failing = inTransaction(database.db, async (tx) => {
      attempts++;
      await raise(tx, "c");
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(attempts).toBe(1);
    expect(await counter("c")).toBe(1);
  });

  it("is READ COMMITTED whatever the server's default", async () => {
    await sql`set default_transaction_isolation = 'serializable'`.execute(database.db);
    const { rows } = await inTransaction(database.db, (tx) =>
      sql<{ level: string }>`select current_setting('transaction_isolation') as level`.execute(tx),
    );
    expect(rows[0]?.level).toBe("read committed");
  });
});

describe("two transactions in a deadlock", () => {
  it("both succeed: the victim runs again", async () => {
    let attempts = 0;
    let holding = 0;
    const bothHoldOne = Promise.withResolvers<void>();
    const raiseBoth = (first: string, second: string) =>
      inTransaction(database.db, async (tx) => {
        attempts++;
        await sql`set local deadlock_timeout = '10ms'`.execute(tx);
        await raise(tx, first);
        // Not when both have begun: the one that is first could take both rows before the other has its own.
        holding++;
        if (holding >= 2) bothHoldOne.resolve();
        await bothHoldOne.promise;
        await raise(tx, second);
      });
    await Promise.all([raiseBoth("a", "b"), raiseBoth("b", "a")]);
    expect([await counter("a"), await counter("b")]).toEqual([2, 2]);
    expect(attempts).toBe(3);
  });
});

describe("a transaction that is the victim every time", () => {
  it.each(["40001", "40P01"])("is given up after five attempts with the database's error %s", async (code) => {
    let attempts = 0;
    const failing = inTransaction(database.db, async (tx) => {
      attempts++;
      await sql`do ${sql.raw(`$$ begin raise sqlstate '${code}'; end $$`)}`.execute(tx);
    });
    await expect(failing).rejects.toMatchObject({ code });
    expect(attempts).toBe(5);
  });
});
