// Statements that go out together when something comes between: a connection that is cut, a migration that outdates what is
// prepared, a deadlock. Nothing is half done, and what can be run again is.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { eventually } from "../../test/support/interleave.ts";
import { errorOf, insert, number, numbersOfFile, places, rowsOf } from "../../test/support/round-trips.ts";
import type { Database } from "./connect.ts";
import { ask, behind, question, together } from "./round-trips.ts";
import { inTransaction } from "./transaction.ts";
import { isUnavailable } from "./unavailable.ts";

const numbers = numbersOfFile();
const { connected, written } = numbers;

describe.each(places.slice(0, 2))(
  "a connection that is cut while several statements are in progress %s",
  (_place, run) => {
    const suicide = rowsOf(sql`select pg_terminate_backend(pg_backend_pid())`);

    it.each([0, 1, 2])("fails them all as unavailable, whichever it hits (%d), and is replaced", async (at) => {
      const db = connected();
      const questions = [number(1), number(2), number(3), number(4)].toSpliced(at, 1, suicide as never);
      expect(isUnavailable(await errorOf(run(db, (on) => together(on, questions))))).toBe(true);
      expect(await ask(db, number(5))).toEqual([{ n: 5 }]);
    });

    it("is noticed also where somebody else cuts it", async () => {
      const db = connected();
      const asleep = question(sql`select pg_sleep(60)`, (rows) => rows);
      const broken = errorOf(run(db, (on) => together(on, [number(1), asleep, rowsOf(insert(1))] as const)));
      await eventually(
        () =>
          sql<{ cut: boolean }>`select pg_terminate_backend(pid, 5000) as cut from pg_stat_activity
          where datname = current_database() and query = 'select pg_sleep(60)'`.execute(numbers.db),
        ({ rows }) => rows.length > 0,
      );
      expect(isUnavailable(await broken)).toBe(true);
      expect(await ask(db, number(5))).toEqual([{ n: 5 }]);
      expect(await written()).toEqual([]);
    });
  },
);

describe("a transaction whose connection is cut", () => {
  const suicide = sql`select pg_terminate_backend(pg_backend_pid())`;

  it.each<[string, (tx: Database) => Promise<unknown>]>([
    ["by its first statement", (tx) => suicide.execute(tx)],
    ["by one that is not waited for", (tx) => behind(suicide).execute(tx)],
    [
      "by one that is not waited for, before another",
      async (tx) => {
        await behind(suicide).execute(tx);
        await sql`select 1`.execute(tx);
      },
    ],
  ])("%s is unavailable and not committed, and the pool goes on", async (_how, cut) => {
    const db = connected();
    const broken = inTransaction(db, async (tx) => {
      await behind(insert(1)).execute(tx);
      await cut(tx);
    });
    expect(isUnavailable(await errorOf(broken))).toBe(true);
    expect(await ask(db, number(5))).toEqual([{ n: 5 }]);
    expect(await written()).toEqual([]);
  });
});

describe("statements of which a migration outdates some", () => {
  const all = rowsOf(sql`select * from things`);
  const other = rowsOf(sql`select * from things where a > 0`);

  async function prepared() {
    await sql`drop table if exists things`.execute(numbers.db);
    await sql`create table things (a int)`.execute(numbers.db);
    await sql`insert into things values (1)`.execute(numbers.db);
    const db = connected();
    for (let use = 0; use < 3; use++) await together(db, [number(1), all, other, number(2)] as const);
    await sql`alter table things add column b int default 2`.execute(numbers.db);
    return db;
  }
  const after = [[{ a: 1, b: 2 }], [{ a: 1, b: 2 }], [{ n: 1 }]];

  it("run again by themselves outside a transaction", async () => {
    const db = await prepared();
    for (let use = 0; use < 3; use++) expect(await together(db, [all, other, number(1)] as const)).toEqual(after);
  });

  it.each([true, false])("make their transaction run again, being its first ones: %s", async (first) => {
    const db = await prepared();
    let attempts = 0;
    const answers = await inTransaction(db, async (tx) => {
      attempts++;
      if (!first) await sql`select 1`.execute(tx);
      return together(tx, [all, other, number(1)] as const);
    });
    expect(answers).toEqual(after);
    expect(attempts).toBe(2);
  });
});

describe("two transactions in a deadlock over statements that go out together", () => {
  it("both succeed: the victim runs again", async () => {
    const raise = (name: string) => rowsOf(sql`update counters set value = value + 1 where name = ${name}`);
    const db = connected(2);
    let [attempts, holding] = [0, 0];
    const bothHoldOne = Promise.withResolvers<void>();
    const raiseBoth = (one: string, another: string) =>
      inTransaction(db, async (tx) => {
        attempts++;
        await together(tx, [rowsOf(sql`set local deadlock_timeout = '10ms'`), raise(one)] as const);
        holding++;
        if (holding >= 2) bothHoldOne.resolve();
        await bothHoldOne.promise;
        await together(tx, [number(1), raise(another), number(2)] as const);
      });
    await Promise.all([raiseBoth("a", "b"), raiseBoth("b", "a")]);
    const { rows } = await sql`select value from counters`.execute(db);
    expect(rows).toEqual([{ value: 2 }, { value: 2 }]);
    expect(attempts).toBeGreaterThan(2);
  });
});
