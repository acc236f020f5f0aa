// Which encryption keys a database needs: the key ids in its encrypted values (secrets/key-ring.ts). An encrypted value
// is in a text column whose name ends in `sealed`, or is a setting; test/start/backup.program.test.ts verifies that
// against a whole backup.

import pg from "pg";
import { sqlName, type Table } from "./tables.ts";

/** The ids, in order; none if nothing is encrypted. */
export async function encryptedKeyIds(client: pg.Client, tables: readonly Table[]): Promise<string[]> {
  const columns = await client.query<{ schema: string; name: string; column: string }>(`
    select table_schema as schema, table_name as name, column_name as column from information_schema.columns
    where data_type = 'text' and column_name like '%sealed'`);
  const places = columns.rows.map((place) => ({ table: sqlName(place), value: pg.escapeIdentifier(place.column) }));
  for (const table of tables) {
    if (table.name === "settings") places.push({ table: sqlName(table), value: "value #>> '{}'" });
  }
  const ids = new Set<string>();
  for (const { table, value } of places) {
    const { rows } = await client.query<{ id: string }>(
      `select distinct substring(${value} from '^v1\\.([0-9a-f]{8})\\.') as id from ${table} where ${value} like 'v1.%'`,
    );
    for (const { id } of rows) if (id !== null) ids.add(id);
  }
  return [...ids].sort();
}
