// Statements that go out together, for the tests of src/database/round-trips.ts: a database with two small tables, questions
// to ask it, and what the clients send and hear.

import { type RawBuilder, sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from "vitest";
import { connect, type Database } from "../../src/database/connect.ts";
import { behind, question } from "../../src/database/round-trips.ts";
import { inTransaction } from "../../src/database/transaction.ts";
import { emptyDatabase, type FreshDatabase } from "./database.ts";

/** Call it once in a file of tests. The tables are `numbers`, empty before each test, and `counters`, with "a" and "b". */
export function numbersOfFile(): NumbersFixture {
  const fixture = new NumbersFixture();
  beforeAll(() => fixture.open());
  beforeEach(() => fixture.empty());
  afterAll(() => fixture.close());
  return fixture;
}

export class NumbersFixture {
  #database: FreshDatabase | undefined;

  async open(): Promise<void> {
    this.#database = await emptyDatabase();
    await sql`create table numbers (n int primary key)`.execute(this.db);
    await sql`create table counters (name text primary key, value int not null default 0)`.execute(this.db);
  }

  async empty(): Promise<void> {
    await sql`truncate numbers, counters`.execute(this.db);
    await sql`insert into counters (name) values ('a'), ('b')`.execute(this.db);
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  get #opened(): FreshDatabase {
    if (this.#database === undefined) throw new Error("the database is not open yet: it opens in beforeAll");
    return this.#database;
  }

  get db(): Database {
    return this.#opened.db;
  }

  /** Another pool, so that what is prepared and what is lost is this test's alone. */
  connected = (maxConnections = 1): Database => {
    const db = connect({ ...this.#opened.config, maxConnections });
    onTestFinished(() => db.destroy());
    return db;
  };

  written = async (): Promise<number[]> => {
    const { rows } = await sql<{ n: number }>`select n from numbers order by n`.execute(this.db);
    return rows.map(({ n }) => n);
  };
}

/** A question whose answer is its rows as they come. */
export const rowsOf = <Row>(statement: RawBuilder<Row>) => question(statement, (rows) => rows);
export const number = (n: number) => rowsOf(sql<{ n: number }>`select ${n}::int as n`);
export const insert = (n: number) => sql`insert into numbers values (${n})`;
export const failing = (text: string) => rowsOf(sql`select ${text}::int as not_a_number`);

export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "no error",
    (error: unknown) => error,
  );
}

/** What the clients send (">") and hear ("<") from now on, by the first word. */
export async function watched(db: Database): Promise<string[]> {
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
export const places: [string, <T>(db: Database, body: (db: Database) => Promise<T>) => Promise<T>][] = [
  ["outside a transaction", (db, body) => body(db)],
  ["in a transaction", (db, body) => inTransaction(db, body)],
  ["behind other statements of a transaction", (db, body) => inTransaction(db, (tx) => afterAnother(tx, body))],
];

async function afterAnother<T>(tx: Database, body: (db: Database) => Promise<T>): Promise<T> {
  await sql`select 1`.execute(tx);
  await behind(sql`update counters set value = 1`).execute(tx);
  return body(tx);
}
