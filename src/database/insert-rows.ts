// Inserts many rows in one statement whose text does not depend on how many they are: so it is prepared once for each
// connection (named-statements.ts), and a batch costs one round trip. Used where one transaction writes for many requests.

import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import type { Database } from "./connect.ts";
import { behind, type Question, question } from "./round-trips.ts";
import type { Schema } from "./schema.ts";

type Column<T extends keyof Schema> = keyof Insertable<Schema[T]> & string;

/** What is written. Every row has all of it: one that leaves a column out gets null there, and not its default. */
export interface Written<T extends keyof Schema> {
  readonly columns: readonly Column<T>[];
  /** Those of the columns whose values are JSON texts. */
  readonly json?: readonly Column<T>[];
}

/** Writes the rows, all or none, and gives them back as they then are. */
export function insertedRows<T extends keyof Schema>(
  table: T,
  written: Written<T>,
  rows: readonly Insertable<Schema[T]>[],
): Question<Selectable<Schema[T]>[]> {
  return question(sql<Selectable<Schema[T]>>`${insertion(table, written, rows)} returning *`, (made) => made);
}

/**
 * Writes the rows, all or none, without waiting for it where it is one statement of a transaction (round-trips.ts).
 * `conflict`: an ON CONFLICT clause.
 */
export async function insertRows<T extends keyof Schema>(
  db: Database,
  table: T,
  written: Written<T>,
  rows: readonly Insertable<Schema[T]>[],
  conflict: RawBuilder<unknown> = sql``,
): Promise<void> {
  if (rows.length > 0) await behind(sql`${insertion(table, written, rows)} ${conflict}`).execute(db);
}

/** The columns' types are the table's, so the values arrive as one JSON text and need none of their own. */
function insertion<T extends keyof Schema>(table: T, written: Written<T>, rows: readonly Insertable<Schema[T]>[]) {
  const names = sql.join(written.columns.map((column) => sql.ref(column)));
  return sql`insert into ${sql.table(table)} (${names})
    select ${names} from json_populate_recordset(null::${sql.table(table)}, ${jsonOf(written, rows)}::json)`;
}

function jsonOf(
  { columns, json = [] }: { columns: readonly string[]; json?: readonly string[] },
  rows: readonly object[],
) {
  const given: readonly Readonly<Record<string, unknown>>[] = rows.map((row) => ({ ...row }));
  const value = (row: Readonly<Record<string, unknown>>, column: string) =>
    json.includes(column) && typeof row[column] === "string" ? JSON.parse(row[column]) : asJson(row[column]);
  return JSON.stringify(given.map((row) => Object.fromEntries(columns.map((column) => [column, value(row, column)]))));
}

/** As PostgreSQL reads it in a text. */
function asJson(value: unknown): unknown {
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}
