// Which tables and sequences are in a database, as its own catalogue says: so a table that a later migration makes is in
// the backup without anybody thinking of it. Used by snapshot.ts and by load.ts, so that both mean the same.
//
// Not among them: what belongs to PostgreSQL or to an extension, and schema_migrations, which is in the header and is
// written by migrating.

import pg from "pg";
import type { SequenceValue } from "./records.ts";

export interface Table {
  readonly schema: string;
  readonly name: string;
  /** In their order; without those that the database computes. */
  readonly columns: readonly string[];
}

/** The table's name as SQL has it. */
export function sqlName({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

/**
 * All tables, each after those that its foreign keys lead to, so that they can be loaded in this order with every
 * constraint on. Foreign keys that can be deferred do not count: they are looked at when all is loaded.
 */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table & { id: string; parents: string[] }>(`
    select c.oid::text as id, n.nspname as schema, c.relname as name,
      array(select a.attname::text from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
      array(select k.confrelid::text from pg_constraint k
        where k.conrelid = c.oid and k.contype = 'f' and not k.condeferrable and k.confrelid <> c.oid) as parents
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and ${isOurs} and c.relname <> 'schema_migrations'
    order by n.nspname, c.relname`);
  return inOrder(rows);
}

/** All sequences, those of identity columns too, with what they gave last. */
export async function sequencesOf(client: pg.Client): Promise<SequenceValue[]> {
  const { rows } = await client.query<{ schema: string; name: string }>(`
    select n.nspname as schema, c.relname as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'S' and ${isOurs}
    order by n.nspname, c.relname`);
  const values: SequenceValue[] = [];
  for (const sequence of rows) {
    const value = await client.query<{ lastValue: string; isCalled: boolean }>(
      `select last_value::text as "lastValue", is_called as "isCalled" from ${sqlName(sequence)}`,
    );
    const [row] = value.rows;
    if (row === undefined) throw new Error(`BUG: the sequence ${sequence.name} has no row`);
    values.push({ ...sequence, ...row });
  }
  return values;
}

const isOurs = `c.relpersistence <> 't' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

function inOrder(tables: readonly (Table & { id: string; parents: string[] })[]): Table[] {
  const ordered: Table[] = [];
  const placed = new Set<string>();
  let rest = [...tables];
  while (rest.length > 0) {
    const ready = rest.filter(({ parents }) => parents.every((parent) => placed.has(parent)));
    if (ready.length === 0) {
      const names = rest.map(({ name }) => name).join(", ");
      throw new Error(`BUG: foreign keys of ${names} lead in a circle; one of them has to be deferrable`);
    }
    for (const { id, schema, name, columns } of ready) {
      ordered.push({ schema, name, columns });
      placed.add(id);
    }
    rest = rest.filter(({ id }) => !placed.has(id));
  }
  return ordered;
}
