// The tables and sequences of a database, from its catalog: so new tables are backed up automatically. Used by
// snapshot.ts and by load.ts, so that both agree.
//
// Excluded: what belongs to PostgreSQL or an extension, and schema_migrations, which is in the header and written by
// migrating.

import pg from "pg";
import type { SequenceValue } from "./records.ts";

export interface Table {
  readonly schema: string;
  readonly name: string;
  /** In order; without generated columns. */
  readonly columns: readonly string[];
}

/** The quoted name. */
export function sqlName({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
}

/**
 * All tables, each after those that its foreign keys refer to, so that they can be loaded in this order. Deferrable
 * foreign keys do not count: they are checked at the end.
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

/** All sequences, including those of identity columns, with their last values. */
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
