// The Kysely schema and the migrated database have the same tables and the same columns, and agree on what may be null.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FreshDatabase, freshDatabase } from "../../test/support/database.ts";

interface Column {
  readonly nullable: boolean;
}
type Tables = Record<string, Record<string, Column>>;

let fresh: FreshDatabase;
beforeAll(async () => {
  fresh = await freshDatabase();
});
afterAll(() => fresh.close());

/** Reads schema.ts and tables/ as the plain lists that they are: interfaces of `column: type;` lines, and `Schema`, which names them. */
function declared(): Tables {
  const tableFiles = readdirSync(join(import.meta.dirname, "tables")).map((file) => join("tables", file));
  const files = ["schema.ts", ...tableFiles].map((file) => readFileSync(join(import.meta.dirname, file), "utf8"));
  const interfaces = new Map(
    [...files.join("\n").matchAll(/^export interface (\w+) \{\n([^}]*)\}/gm)].map(([, name = "", body = ""]) => [
      name,
      body,
    ]),
  );
  const properties = (body: string) =>
    [...body.matchAll(/^ {2}(\w+): (.+);$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
  const tables = properties(interfaces.get("Schema") ?? "").map(({ name, type }): [string, Record<string, Column>] => {
    const columns = properties(interfaces.get(type) ?? "");
    return [
      name,
      Object.fromEntries(columns.map((column) => [column.name, { nullable: /null|Nullable/.test(column.type) }])),
    ];
  });
  return Object.fromEntries(tables);
}

async function migrated(): Promise<Tables> {
  const { rows } = await sql<{ table: string; column: string; nullable: boolean }>`
    select table_name as table, column_name as column, is_nullable = 'YES' as nullable
    from information_schema.columns
    where table_schema = 'public' and table_name <> 'schema_migrations'
    order by table_name, ordinal_position`.execute(fresh.db);
  const tables: Tables = {};
  for (const { table, column, nullable } of rows) tables[table] = { ...tables[table], [column]: { nullable } };
  return tables;
}

describe("schema.ts", () => {
  it("has the tables of the migrated database, no more and no fewer", async () => {
    expect(Object.keys(declared()).sort()).toEqual(Object.keys(await migrated()).sort());
  });

  it("has every table's columns, and says of each whether it may be null", async () => {
    const [ours, theirs] = [declared(), await migrated()];
    for (const [table, columns] of Object.entries(theirs)) expect(ours[table], table).toEqual(columns);
  });
});
