import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyDatabase } from "../../test/support/database.ts";
import { connect } from "./connect.ts";
import { StatementNames } from "./named-statements.ts";
import { inTransaction } from "./transaction.ts";

describe("the names of statements", () => {
  it("come with the second use and stay the same", () => {
    const names = new StatementNames();
    expect(names.of("select 1")).toBeUndefined();
    const name = names.of("select 1");
    expect(name).toMatch(/^[\w-]{22}$/);
    expect(names.of("select 1")).toBe(name);
  });

  it("differ between texts and agree between programs", () => {
    const nameIn = (names: StatementNames, text: string) => names.of(text) ?? names.of(text);
    const [one, other] = [new StatementNames(), new StatementNames()];
    expect(nameIn(one, "select 1")).toBe(nameIn(other, "select 1"));
    expect(nameIn(one, "select 1")).not.toBe(nameIn(one, "select 2"));
  });

  it("are not given to what cannot gain from it", () => {
    const names = new StatementNames();
    for (const text of ["begin", "commit", "create table t ()", "set local x = 1"]) {
      names.of(text);
      expect(names.of(text)).toBeUndefined();
    }
  });

  it("are not given to more texts than the limit, nor are those remembered", () => {
    const names = new StatementNames(10);
    const texts = Array.from({ length: 100 }, (_, index) => `select ${index}`);
    for (const text of texts) names.of(text);
    const named = [...texts, ...texts].filter((text) => names.of(text) !== undefined);
    expect(new Set(named).size).toBeLessThanOrEqual(10);
  });
});

describe("a statement whose table another replica migrates", () => {
  async function prepared() {
    const database = await emptyDatabase();
    onTestFinished(() => database.close());
    const db = connect({ ...database.config, maxConnections: 1 });
    onTestFinished(() => db.destroy());
    await sql`create table things (a int)`.execute(db);
    await sql`insert into things values (1)`.execute(db);
    for (let use = 0; use < 3; use++) await sql`select * from things`.execute(db);
    await sql`alter table things add column b int default 2`.execute(database.db);
    return db;
  }

  it("runs again by itself outside a transaction", async () => {
    const db = await prepared();
    expect((await sql`select * from things`.execute(db)).rows).toEqual([{ a: 1, b: 2 }]);
    expect((await sql`select * from things`.execute(db)).rows).toEqual([{ a: 1, b: 2 }]);
  });

  it("makes its transaction run again", async () => {
    const db = await prepared();
    let attempts = 0;
    const { rows } = await inTransaction(db, async (tx) => {
      attempts++;
      return sql`select * from things`.execute(tx);
    });
    expect(rows).toEqual([{ a: 1, b: 2 }]);
    expect(attempts).toBe(2);
  });
});
