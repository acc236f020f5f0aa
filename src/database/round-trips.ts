// Saves round trips of transactions, for on a busy machine each costs more than the statement it carries. Three ways, all
// by sending without waiting for the answer of what was sent before (`pipeline` of pg):
//
// - Statements that need nothing of each other's results go out `together`.
// - BEGIN goes out together with the transaction's first statement; a transaction without statements is none.
// - A statement that is marked as `behind` is not waited for, and goes out with the next one: whoever sends it needs
//   nothing of it but that it succeeds. If it fails, so does the one it went with, and COMMIT is always waited for: so a
//   transaction whose statement failed is never taken for one that was committed.
//
// Between NamingClient (named-statements.ts) and a client of `pg`. Outside a transaction everything is waited for.

import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type pg from "pg";
import type { Database } from "./connect.ts";

const behindMark = "/* behind */ ";
const togetherMark = "/* together */";

/** The statement, not waited for where it is one of a transaction. Its result is empty then. */
export function behind<T>(statement: RawBuilder<T>): RawBuilder<T> {
  return sql<T>`${sql.raw(behindMark)}${statement}`;
}

/** A statement, and what its rows mean. */
export interface Question<T> {
  compile(db: Database): CompiledQuery;
  answer(rows: unknown[]): T;
}

export function question<Row, T>(
  statement: { compile(db: Database): CompiledQuery<Row> },
  answer: (rows: Row[]) => T,
): Question<T> {
  // The rows of this statement are what `together` hands to it.
  return { compile: (db) => statement.compile(db), answer: (rows) => answer(rows as Row[]) };
}

/** The answers to all of them, which run in this order. Throws what the first that fails throws. */
export async function together<T extends readonly unknown[]>(
  db: Database,
  questions: { readonly [K in keyof T]: Question<T[K]> },
): Promise<T> {
  // Kysely lets one statement of a transaction run at a time: so they go through it as one.
  const parameters = questions.map((one: Question<unknown>) => one.compile(db));
  const carrier = sql`${sql.raw(togetherMark)}`.compile(db);
  const { rows } = await db.executeQuery<unknown[]>({ ...carrier, parameters });
  // One list of rows for each: NamingClient unpacks and runs them. So the answers are in the order of the questions.
  return questions.map((one: Question<unknown>, index) => one.answer(rows[index] ?? [])) as unknown as T;
}

/** The answer to one. */
export async function ask<T>(db: Database, one: Question<T>): Promise<T> {
  const [answer] = await together<[T]>(db, [one]);
  return answer;
}

/** The statements that `together` sends in this one. */
export function partsOf(text: string, parameters: readonly unknown[]): readonly CompiledQuery[] | undefined {
  return text === togetherMark ? (parameters as readonly CompiledQuery[]) : undefined; // as `together` made them
}

/** The statement without the mark, and whether it is `behind`. */
export function unmarked(text: string): { text: string; isBehind: boolean } {
  return text.startsWith(behindMark)
    ? { text: text.slice(behindMark.length), isBehind: true }
    : { text, isBehind: false };
}

const nothing: Pick<pg.QueryResult<never>, "command" | "rowCount" | "rows"> = { command: "", rowCount: 0, rows: [] };
type Result = typeof nothing;

export class RoundTrips {
  readonly #client: pg.PoolClient;
  /** What is sent with the next statement that is waited for: what begins the transaction, and what is behind. */
  #held: pg.QueryConfig[] = [];
  #isInTransaction = false;
  /** Whether the server knows of the transaction, or knew: a rollback after a failed commit tells if the connection works. */
  #isBegun = false;

  constructor(client: pg.PoolClient) {
    this.#client = client;
  }

  /** Also while the server does not know of it yet. */
  get isInTransaction(): boolean {
    return this.#isInTransaction;
  }

  async send(query: pg.QueryConfig & { text: string }, isBehind = false): Promise<Result> {
    const { text } = query;
    if (/^(begin|start transaction)\b/i.test(text)) {
      this.#held = [query];
      this.#isInTransaction = true;
      this.#isBegun = false;
      return nothing;
    }
    const ends = /^(commit|rollback)$/i.exec(text)?.[1]?.toLowerCase();
    if (ends !== undefined && this.#endsUnknown(ends)) return nothing;
    if (isBehind && this.#isInTransaction) {
      this.#held.push(query);
      return nothing;
    }
    const [answers, answer] = this.atOnce(() => {
      const sent = this.#held.map((one) => this.#client.query(one));
      return [sent, this.#client.query<never>(query)] as const;
    });
    this.#held = [];
    this.#isBegun = true;
    // Each has somebody who handles it if it fails, whichever is the first that does.
    for (const one of [...answers, answer]) one.catch(() => {});
    // What failed first says why; all behind it say only that the transaction had failed.
    for (const one of answers) await one;
    return answer;
  }

  /** What `send` sends goes out in one piece. */
  atOnce<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /** Whether that ended a transaction of which the server knows nothing. What is behind is not needed where all is undone. */
  #endsUnknown(ends: string): boolean {
    this.#isInTransaction = false;
    if (ends === "rollback" || (!this.#isBegun && this.#held.length === 1)) this.#held = [];
    return !this.#isBegun && this.#held.length === 0;
  }
}
