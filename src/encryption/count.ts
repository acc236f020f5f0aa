// Counts the values encrypted with each key, in all encrypted columns: for people, and for the end of a rotation.

import { sql } from "kysely";
import type { Database, Transaction } from "../database/connect.ts";
import { encryptedColumns, kindOf } from "./encrypted-columns.ts";

export interface EncryptedCount {
  /** Such as instances.env_vars. */
  readonly kind: string;
  readonly keyId: string;
  readonly count: number;
}

/** By key and kind; none with a count of 0. */
export async function countEncrypted(db: Database | Transaction): Promise<EncryptedCount[]> {
  const parts = encryptedColumns.map((one) => {
    const column = sql.ref(one.column);
    return sql`select ${kindOf(one)}::text as kind, split_part(${column}, '.', 2) as key_id
      from ${sql.table(one.table)} where ${column} is not null`;
  });
  const { rows } = await sql<{ kind: string; key_id: string; count: number }>`
    select kind, key_id, count(*) as count from (${sql.join(parts, sql` union all `)}) sealed
    group by kind, key_id order by key_id, kind`.execute(db);
  return rows.map(({ kind, key_id, count }) => ({ kind, keyId: key_id, count: Number(count) }));
}

/** "1 value", "3 values". */
export function valuesInWords(count: number): string {
  return count === 1 ? "1 value" : `${count} values`;
}

/** The ids of the keys that some value is encrypted with. */
export async function keyIdsInRows(db: Database | Transaction): Promise<string[]> {
  return [...new Set((await countEncrypted(db)).map(({ keyId }) => keyId))];
}
