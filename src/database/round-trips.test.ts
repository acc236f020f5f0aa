import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { emptyDatabase, type FreshDatabase } from "../../test/support/database.ts";
import { begin, eventually } from "../../test/support/interleave.ts";
import { seeded } from "../../test/support/random.ts";
import { ask, behind, connect, type Database, inTransaction, isUnavailable, question, together } from "./connect.ts";

let database: FreshDatabase;
beforeAll(async () => {
  database = await emptyDatabase();
  await sql`create table numbers (n int primary key)`.execute(database.db);
  await sql`create table counters (name text primary key, value int not null default 0)`.execute(database.db);
});
beforeEach(async () => {
  await sql`truncate numbers, counters`.execute(database.db);
  await sql`insert into counters (name) values ('a'), ('b')`.execute(database.db);
});
afterAll(() => database.close());

/** Another pool, so that what is prepared and what is lost is this test's alone. */
function connected(maxConnections = 1): Database {
  const db = connect({ ...database.config, maxConnections });
  onTestFinished(() => db.destroy());
  return db;
}

/** A question whose answer is its rows as they come. */
const rowsOf = <Row>(statement: RawBuilder<Row>) => question(statement, (rows) => rows);
const number = (n: number) => rowsOf(sql<{ n: number }>`select ${n}::int as n`);
const insert = (n: number) => sql`insert into numbers values (${n})`;
const failing = (text: string) => rowsOf(sql`select ${text}::int as not_a_number`);

async function written(): Promise<number[]> {
  const { rows } = await sql<{ n: number }>`select n from numbers order by n`.execute(database.db);
  return rows.map(({ n }) => n);
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no error",
    (error: unknown) => error,
  );
}

/** What the clients send (">") and hear ("<") from now on, by the first word. */
async function watched(db: Database): Promise<string[]> {
  await sql`select 0`.execute(db); // so that the connection is there
  const log: string[] = [];
  const query = pg.Client.prototype.query;
  // One of its many overloads: what round-trips.ts gives, and what it gets.
  const spied = function (this: pg.Client, config: pg.QueryConfig) {
    const [word] = config.text.trim().split(" ");
    log.push(`> ${word}`);
    const answer: Promise<unknown> = Reflect.apply(query, this, [config]);
    answer.then(
      () => log.push(`< ${word}`),
      () => log.push(`! ${word}`),
    );
    return answer;
  };
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(spied as never);
  onTestFinished(() => void vi.restoreAllMocks());
  return log;
}

/** Both ways to run statements: by themselves, and in one transaction. */
const places: [string, <T>(db: Database, body: (db: Database) => Promise<T>) => Promise<T>][] = [
  ["outside a transaction", (db, body) => body(db)],
  ["in a transaction", (db, body) => inTransaction(db, body)],
  ["behind other statements of a transaction", (db, body) => inTransaction(db, (tx) => afterAnother(tx, body))],
];

async function afterAnother<T>(tx: Database, body: (db: Database) => Promise<T>): Promise<T> {
  await sql`select 1`.execute(tx);
  await behind(sql`update counters set value = 1`).execute(tx);
  return body(tx);
}

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
    await sql`create table ${table} (a int)`.execute(database.db);
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
      $$ select pg_sleep(0.2); insert into numbers values (n) $$`.execute(database.db);
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
    await insert(1).execute(database.db);
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
      await insert(1).execute(database.db);
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
    await sql`create table behind_things (a int)`.execute(database.db);
    const db = connected();
    const all = sql`select * from behind_things`;
    for (let use = 0; use < 3; use++) await all.execute(db);
    await sql`alter table behind_things add column b int`.execute(database.db);
    let attempts = 0;
    await inTransaction(db, async (tx) => {
      attempts++;
      await behind(all).execute(tx);
    });
    expect(attempts).toBe(2);
  });
});

describe.each(places.slice(0, 2))(
  "a connection that is cut while several statements are under way %s",
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
          where datname = current_database() and query = 'select pg_sleep(60)'`.execute(database.db),
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
    await sql`drop table if exists things`.execute(database.db);
    await sql`create table things (a int)`.execute(database.db);
    await sql`insert into things values (1)`.execute(database.db);
    const db = connected();
    for (let use = 0; use < 3; use++) await together(db, [number(1), all, other, number(2)] as const);
    await sql`alter table things add column b int default 2`.execute(database.db);
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
