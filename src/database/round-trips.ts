// Saves round trips of transactions, because on a busy machine each costs more than its statement. Three ways, all by
// sending before earlier results arrive (`pipeline` of pg):
//
// - Statements that are independent of each other's results are sent `together`.
// - BEGIN is sent together with the transaction's first statement; a transaction without statements is not begun.
// - A statement marked as `behind` is not waited for, and is sent with the next one: its sender needs only that it
//   succeeds. If it fails, so does the one it went with, and COMMIT is always waited for: so a failed transaction is
//   never mistaken for a committed one.
//
// Between NamingClient (named-statements.ts) and a client of `pg`. Outside a transaction everything is waited for.

import { type CompiledQuery, type RawBuilder, sql } from "kysely";
import type pg from "pg";
import type { Database } from "./connect.ts";

const behindMark = "/* behind */ ";
const togetherMark = "/* together */";

/** The statement, not waited for inside a transaction. Its result is empty then. */
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
  // The rows of this statement are those that `together` passes to it.
  return { compile: (db) => statement.compile(db), answer: (rows) => answer(rows as Row[]) };
}

/** The results of all, run in this order. Throws the error of the first that fails. */
export async function together<T extends readonly unknown[]>(
  db: Database,
  questions: { readonly [K in keyof T]: Question<T[K]> },
): Promise<T> {
  // Kysely lets one statement of a transaction run at a time: so they go through it as one.
  const parameters = questions.map((one: Question<unknown>) => one.compile(db));
  const carrier = sql`${sql.raw(togetherMark)}`.compile(db);
  const { rows } = await db.executeQuery<unknown[]>({ ...carrier, parameters });
  // One list of rows for each: NamingClient unpacks and runs them. So the results are in the order of the statements.
  return questions.map((one: Question<unknown>, index) => one.answer(rows[index] ?? [])) as unknown as T;
}

/** The result of one. */
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
  /** Sent with the next statement that is waited for: BEGIN, and the statements `behind`. */
  #held: pg.QueryConfig[] = [];
  #isInTransaction = false;
  /** Whether the transaction was sent to the server: a rollback after a failed commit tests the connection. */
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
    // Each has a rejection handler, whichever fails first.
    for (const one of [...answers, answer]) one.catch(() => {});
    // The first failure has the cause; all later ones say only that the transaction had failed.
    for (const one of answers) await one;
    return answer;
  }

  /** Sends everything that `send` sends in one piece. */
  atOnce<T>(send: () => T): T {
    const { stream } = this.#client.connection;
    stream.cork();
    try {
      return send();
    } finally {
      stream.uncork();
    }
  }

  /** Whether that ended a transaction unknown to the server. A rollback does not need the statements `behind`. */
  #endsUnknown(ends: string): boolean {
    this.#isInTransaction = false;
    if (ends === "rollback" || (!this.#isBegun && this.#held.length === 1)) this.#held = [];
    return !this.#isBegun && this.#held.length === 0;
  }
}
