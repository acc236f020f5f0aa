// Inserts many rows in one statement whose text does not depend on their number: so it is prepared once for each
// connection (named-statements.ts), and a batch costs one round trip. Used where one transaction writes for many
// requests.

import { type Insertable, type RawBuilder, type Selectable, sql } from "kysely";
import type { Database } from "./connect.ts";
import { behind, type Question, question } from "./round-trips.ts";
import type { Schema } from "./schema.ts";

type Column<T extends keyof Schema> = keyof Insertable<Schema[T]> & string;

/** The columns to write. A row that leaves one out gets null there, not its default. */
export interface Written<T extends keyof Schema> {
  readonly columns: readonly Column<T>[];
  /** The columns whose values are JSON texts. */
  readonly json?: readonly Column<T>[];
}

/** Inserts the rows, all or none, and returns them as stored. */
export function insertedRows<T extends keyof Schema>(
  table: T,
  written: Written<T>,
  rows: readonly Insertable<Schema[T]>[],
): Question<Selectable<Schema[T]>[]> {
  return question(sql<Selectable<Schema[T]>>`${insertion(table, written, rows)} returning *`, (made) => made);
}

/**
 * Inserts the rows, all or none, without waiting for the result inside a transaction (round-trips.ts).
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

/** The columns' types are the table's, so the values are sent as one JSON text without types of their own. */
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

/** The JSON text form that PostgreSQL reads. */
function asJson(value: unknown): unknown {
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : value;
}
