// What a refusal was, and that it left nothing behind.

import { sql } from "kysely";
import type { Database } from "../../src/database/connect.ts";
import { RentalError, type RentalErrorDetails, type RentalErrorKind } from "../../src/rental/errors.ts";

/** The details of the refusal of this kind that the promise must end with; anything else fails the test. */
export async function refusal<K extends RentalErrorKind>(
  kind: K,
  promise: Promise<unknown>,
): Promise<RentalErrorDetails[K]> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof RentalError && isOfKind(error, kind)) return error.details;
  throw new Error(`expected the refusal ${kind}`, { cause: error ?? "it was accepted" });
}

/** Runs `attempt` and fails the test unless every table has, row for row, what it had before. Gives what it gave. */
export async function changingNothing<T>(db: Database, attempt: () => Promise<T>): Promise<T> {
  const before = await contents(db);
  const result = await attempt();
  const after = await contents(db);
  const changed = [...after].filter(([table, rows]) => rows !== before.get(table)).map(([table]) => table);
  if (changed.length > 0) throw new Error(`these tables changed: ${changed.join(", ")}`);
  return result;
}

/** Every table's rows as one text. */
async function contents(db: Database): Promise<Map<string, string>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by 1`.execute(db);
  const texts = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, E'\n' order by t::text) as text from ${sql.table(name)} t`.execute(db);
    texts.set(name, rows[0]?.text ?? "");
  }
  return texts;
}

function isOfKind<K extends RentalErrorKind>(error: RentalError, kind: K): error is RentalError<K> {
  return error.kind === kind;
}
