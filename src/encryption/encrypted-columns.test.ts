// The list of everything that is sealed is held against the migrated database: a column that is sealed and not on it
// would be forgotten when keys change, and lost when the old key goes.

import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { worldOfFile } from "../../test/support/world.ts";
import { encryptedColumns } from "./encrypted-columns.ts";

const world = worldOfFile();

describe("the list of sealed columns", () => {
  it("has every column of the database that is called …_sealed, and no other", async () => {
    const { rows } = await sql<{ name: string }>`
      select table_name || '.' || column_name as name from information_schema.columns
      where table_schema not in ('pg_catalog', 'information_schema') and column_name like '%\\_sealed'
      order by 1`.execute(world.db);
    expect(encryptedColumns.map(({ table, column }) => `${table}.${column}`).sort()).toEqual(
      rows.map(({ name }) => name),
    );
  });

  it("names each row by its whole primary key, in its order and with its types", async () => {
    for (const { table, key } of encryptedColumns) {
      const { rows } = await sql<{ name: string; type: string }>`
        select a.attname as name, format_type(a.atttypid, a.atttypmod) as type
        from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any (i.indkey)
        where i.indrelid = ${table}::regclass and i.indisprimary
        order by array_position(i.indkey::int2[], a.attnum)`.execute(world.db);
      expect(Object.entries(key), table).toEqual(rows.map(({ name, type }) => [name, type]));
    }
  });

  it("binds no two columns, and no two rows, to the same context", () => {
    const ids = ["0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c"] as const;
    const contexts = encryptedColumns.flatMap(({ context }) => ids.map((id) => context(id, "key")));
    expect(new Set(contexts).size).toBe(contexts.length);
  });
});
