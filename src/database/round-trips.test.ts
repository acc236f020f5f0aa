// Statements that are sent together, transactions, and statements without a waiting caller: what is sent when, who
// receives which error, and what is committed. Cut connections and outdated statements are in round-trips-interrupted.test.ts.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { begin } from "../../test/support/interleave.ts";
import { seeded } from "../../test/support/random.ts";
import {
  errorOf,
  failing,
  insert,
  number,
  numbersOfFile,
  places,
  rowsOf,
  watched,
} from "../../test/support/round-trips.ts";
import type { Database } from "./connect.ts";
import { ask, behind, question, together } from "./round-trips.ts";
import { inTransaction } from "./transaction.ts";

const numbers = numbersOfFile();
const { connected, written } = numbers;

describe.each(places)("statements that go out together %s", (place, run) => {
  it("are answered in the order in which they were asked, each by its own", async () => {
    const questions = [
      number(1),
      rowsOf(sql<{ word: string }>`select unnest(array['x', 'y']) as word`),
      rowsOf(sql`select 1 where false`),
      question(sql<{ n: number }>`select 2 as n`, ([row]) => row?.n),
    ] as const;
    const [one, words, none, two] = await run(connected(), (db) => together(db, questions));
    expect(one.map(({ n }) => n)).toEqual([1]);
    expect(words).toEqual([{ word: "x" }, { word: "y" }]);
    expect(none).toEqual([]);
    expect(two).toBe(2);
  });

  it("run one after the other: each sees what those before it wrote", async () => {
    const count = rowsOf(sql<{ count: number }>`select count(*) as count from numbers`);
    const insertion = (n: number) => rowsOf(sql<{ n: number }>`${insert(n)} returning n`);
    const answers = await run(connected(), (db) =>
      together(db, [count, insertion(7), count, insertion(8), count] as const),
    );
    expect(answers.flat()).toEqual([{ count: 0 }, { n: 7 }, { count: 1 }, { n: 8 }, { count: 2 }]);
  });

  it("are sent before the first is answered", async () => {
    const db = connected();
    const log = await watched(db);
    await run(db, (at) => together(at, [number(1), number(2), rowsOf(sql`values (3)`)] as const));
    const ours = log.slice(log.lastIndexOf("> select") - 1);
    expect(ours.slice(0, 3)).toEqual(["> select", "> select", "> values"]);
  });

  it("fail with what the first that fails says, however the answers arrive", async () => {
    const db = connected();
    // Unnamed, being named, and named: they go different ways to the same error.
    for (let round = 0; round < 6; round++) {
      const error = await errorOf(
        run(db, (at) => together(at, [number(1), failing("first"), failing("second"), number(2)] as const)),
      );
      expect(error).toMatchObject({ code: "22P02", message: expect.stringContaining('"first"') });
      const unlike = rowsOf(sql`select ${"odd"}::int, ${sql.lit(round)}`);
      const other = await errorOf(run(db, (at) => together(at, [unlike, number(1), failing("second")] as const)));
      expect(other).toMatchObject({ code: "22P02", message: expect.stringContaining('"odd"') });
    }
    expect(await ask(db, number(5))).toEqual([{ n: 5 }]);
  });

  it("may be none", async () => {
    expect(await run(connected(), (db) => together(db, []))).toEqual([]);
  });

  it("may be the same text several times, which is prepared once", async () => {
    const db = connected();
    for (let round = 0; round < 2; round++) {
      const answers = await run(db, (at) => together(at, [number(1), number(2), number(3), number(4)] as const));
      expect(answers.flat().map(({ n }) => n)).toEqual([1, 2, 3, 4]);
    }
    const { rows } = await sql<{ runs: number }>`
      select generic_plans + custom_plans as runs from pg_prepared_statements
      where statement = 'select $1::int as n'`.execute(db);
    expect(rows).toEqual([{ runs: 7 }]);
  });

  it("may have a text that fails where it is first prepared, and is right later", async () => {
    const db = connected();
    const table = sql.table(`later ${place}`);
    const missing = rowsOf(sql`select * from ${table}`);
    const error = await errorOf(run(db, (at) => together(at, [missing, missing, missing] as const)));
    expect(error).toMatchObject({ code: "42P01" });
    await sql`create table ${table} (a int)`.execute(numbers.db);
    expect(await run(db, (at) => together(at, [missing, missing] as const))).toEqual([[], []]);
  });
});

describe("a transaction in which one of several statements fails", () => {
  it("is rolled back, with what was written before and behind", async () => {
    const error = await errorOf(
      inTransaction(connected(), async (tx) => {
        await behind(insert(1)).execute(tx);
        await together(tx, [rowsOf(insert(2)), failing("x"), rowsOf(insert(3))] as const);
      }),
    );
    expect(error).toMatchObject({ code: "22P02" });
    expect(await written()).toEqual([]);
  });

  it("is not committed when its body goes on as if nothing had happened", async () => {
    const broken = inTransaction(connected(), async (tx) => {
      await together(tx, [rowsOf(insert(2)), failing("x")] as const).catch(() => {});
      return "done";
    });
    expect(await errorOf(broken)).toBeInstanceOf(Error);
    expect(await written()).toEqual([]);
  });
});

describe("statements that go out together by themselves", () => {
  it("are over when the first failure is told, so that none runs in what comes next on the connection", async () => {
    const db = connected();
    await sql`create function late(n int) returns void language sql as
      $$ select pg_sleep(0.2); insert into numbers values (n) $$`.execute(numbers.db);
    await errorOf(together(db, [failing("x"), rowsOf(sql`select late(9)`)] as const));
    expect(await written()).toEqual([9]);
  });
});

describe("a transaction", () => {
  it("without statements sends nothing", async () => {
    const db = connected();
    const log = await watched(db);
    expect(await inTransaction(db, async () => "done")).toBe("done");
    expect(await errorOf(inTransaction(db, () => Promise.reject(new Error("no"))))).toMatchObject({ message: "no" });
    expect(log).toEqual([]);
  });

  it("begins with its first statement, without waiting in between", async () => {
    const db = connected();
    const log = await watched(db);
    await inTransaction(db, (tx) => sql`values (1)`.execute(tx));
    expect(log).toEqual(["> start", "> values", "< start", "< values", "> commit", "< commit"]);
  });

  it("of which nothing needs to be waited for goes out whole, and its commit is waited for", async () => {
    const db = connected();
    const log = await watched(db);
    await inTransaction(db, (tx) => behind(insert(1)).execute(tx));
    expect(log.slice(0, 3)).toEqual(["> start", "> insert", "> commit"]);
    expect(log).toHaveLength(6);
    expect(await written()).toEqual([1]);
  });

  it("that is rolled back does not send what it had not waited for, nor itself where it had sent nothing", async () => {
    const db = connected();
    const log = await watched(db);
    const no = new Error("no");
    const broken = inTransaction(db, async (tx) => {
      await behind(insert(1)).execute(tx);
      throw no;
    });
    expect(await errorOf(broken)).toBe(no);
    expect(log).toEqual([]);
    const brokenLater = inTransaction(db, async (tx) => {
      await sql`values (1)`.execute(tx);
      await behind(insert(1)).execute(tx);
      throw no;
    });
    expect(await errorOf(brokenLater)).toBe(no);
    expect(log.filter((line) => line.startsWith(">"))).toEqual(["> start", "> values", "> rollback"]);
    expect(await written()).toEqual([]);
  });

  it("leaves nothing of itself to the next on its connection, however it ended", async () => {
    const db = connected();
    const ends: ((tx: Database) => Promise<unknown>)[] = [
      async () => {},
      () => Promise.reject(new Error("no")),
      (tx) => behind(insert(1)).execute(tx),
      (tx) => behind(insert(1)).execute(tx), // once more: fails at the commit
      async (tx) => {
        await behind(insert(2)).execute(tx);
        throw new Error("no");
      },
      (tx) => ask(tx, failing("x")),
    ];
    for (const [index, end] of ends.entries()) {
      await errorOf(inTransaction(db, end));
      // Seen by others at once: so it is no part of any transaction.
      await insert(100 + index).execute(db);
      expect(await written()).toContain(100 + index);
    }
    expect(await written()).toEqual([1, 100, 101, 102, 103, 104, 105]);
  });

  it("that is held open by hand sends what it holds with its commit", async () => {
    const db = connected(2);
    await using open = await begin(db);
    await behind(insert(1)).execute(open.tx);
    expect(await written()).toEqual([]);
    await open.commit();
    expect(await written()).toEqual([1]);
  });
});

describe("a statement that is not waited for", () => {
  it("has happened before the next one of its transaction, also before one of a group", async () => {
    const count = rowsOf(sql<{ count: number }>`select count(*) as count from numbers`);
    const counts = await inTransaction(connected(), async (tx) => {
      await behind(insert(1)).execute(tx);
      const one = await ask(tx, count);
      await behind(insert(2)).execute(tx);
      await behind(insert(3)).execute(tx);
      return [one, ...(await together(tx, [count, rowsOf(insert(4)), count] as const))].flat();
    });
    expect(counts).toEqual([{ count: 1 }, { count: 3 }, { count: 4 }]);
    expect(await written()).toEqual([1, 2, 3, 4]);
  });

  it("is undone by going back to a savepoint before it", async () => {
    await inTransaction(connected(), async (tx) => {
      await behind(insert(1)).execute(tx);
      await sql`savepoint here`.execute(tx);
      await behind(insert(2)).execute(tx);
      await sql`rollback to savepoint here`.execute(tx);
      await behind(insert(3)).execute(tx);
    });
    expect(await written()).toEqual([1, 3]);
  });

  it("is waited for outside a transaction, and fails there by itself", async () => {
    const db = connected();
    const log = await watched(db);
    await behind(insert(1)).execute(db);
    expect(log).toEqual(["> insert", "< insert"]);
    expect(await errorOf(behind(insert(1)).execute(db))).toMatchObject({ code: "23505" });
    expect(await written()).toEqual([1]);
  });

  // Each: what comes after the statement that fails.
  it.each<[string, (tx: Database) => Promise<unknown>]>([
    ["the commit at once", async () => {}],
    ["another one that is not waited for", (tx) => behind(insert(2)).execute(tx)],
    ["a statement", (tx) => sql`select 1`.execute(tx)],
    ["a group of statements", (tx) => together(tx, [number(1), number(2)] as const)],
    ["a savepoint", (tx) => sql`savepoint here`.execute(tx)],
    ["a statement that fails too", (tx) => ask(tx, failing("x"))],
  ])("and fails is the reason told, and nothing is committed, when %s comes next", async (_next, next) => {
    await insert(1).execute(numbers.db);
    const broken = inTransaction(connected(), async (tx) => {
      await sql`select 1`.execute(tx);
      await behind(insert(1)).execute(tx);
      await next(tx);
    });
    expect(await errorOf(broken)).toMatchObject({ code: "23505" });
    expect(await written()).toEqual([1]);
  });

  it.each([1, 2, 3])(
    "and fails never lets its transaction count as committed, with %d swallowed errors",
    async (times) => {
      await insert(1).execute(numbers.db);
      const broken = inTransaction(connected(), async (tx) => {
        await behind(insert(2)).execute(tx);
        await behind(insert(1)).execute(tx);
        for (let time = 0; time < times; time++) await errorOf(together(tx, [number(1), rowsOf(insert(3))] as const));
        return "done";
      });
      expect(await errorOf(broken)).toBeInstanceOf(Error);
      expect(await written()).toEqual([1]);
    },
  );

  it("and is outdated by a migration makes its transaction run again, on another connection", async () => {
    await sql`create table behind_things (a int)`.execute(numbers.db);
    const db = connected();
    const all = sql`select * from behind_things`;
    for (let use = 0; use < 3; use++) await all.execute(db);
    await sql`alter table behind_things add column b int`.execute(numbers.db);
    let attempts = 0;
    await inTransaction(db, async (tx) => {
      attempts++;
      await behind(all).execute(tx);
    });
    expect(attempts).toBe(2);
  });
});

describe("hundreds of transactions at once", () => {
  it("get each its own rows, and leave what those wrote that were committed", async () => {
    const random = seeded();
    const db = connected(8);
    const committed: number[] = [];

    async function one(id: number): Promise<void> {
      const [kind, steps] = [random.below(4), 1 + random.below(4)];
      const mine: number[] = [];
      await inTransaction(db, async (tx) => {
        mine.length = 0;
        for (let step = 0; step < steps; step++) {
          const n = id * 10 + step;
          if (random.below(2) === 0) {
            await behind(insert(n)).execute(tx);
            mine.push(n);
          }
          const width = random.below(5);
          const questions = Array.from({ length: width }, (_, index) =>
            // Few texts and many, so that some are prepared, some just now, and some never.
            index % 2 === 0 ? number(n + index) : rowsOf(sql<{ n: number }>`select ${sql.lit(n + index)} as n`),
          );
          const answers = await together(tx, questions);
          expect(answers.flat().map((row) => row.n)).toEqual(Array.from({ length: width }, (_, index) => n + index));
        }
        if (kind === 0) throw new Error("no");
        if (kind === 1) await ask(tx, failing("x"));
      }).then(
        () => committed.push(...mine),
        (error: unknown) => {
          if (kind > 1) throw error;
        },
      );
    }

    try {
      await Promise.all(Array.from({ length: 400 }, (_, id) => one(id)));
      expect(await written()).toEqual(committed.toSorted((a, b) => a - b));
    } catch (error) {
      throw new Error(`with seed ${random.seed}`, { cause: error });
    }
  });
});
