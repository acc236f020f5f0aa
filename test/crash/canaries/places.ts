// Where a secret could lie: everything the database holds, files, and what the kernel shows of processes.

import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";

/** A place and what is in it. */
export interface Place {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Every table of every schema that is not PostgreSQL's own, as text; and PostgreSQL's statistics of what was run. */
export async function dumpOf(databaseUrl: string): Promise<Place[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string; name: string }>(`
      select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p', 'm') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'
      order by 1, 2`);
    const places: Place[] = [];
    for (const { schema, name } of rows) {
      const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
      places.push({ name: `table ${table}`, bytes: await buffer(client.query(copyTo(`copy ${table} to stdout`))) });
    }
    const statements = await client.query<{ text: string }>(
      "select coalesce(string_agg(a::text, E'\\n'), '') as text from pg_stat_activity a where pid <> pg_backend_pid()",
    );
    places.push({ name: "pg_stat_activity", bytes: Buffer.from(statements.rows[0]?.text ?? "") });
    return places;
  } finally {
    await client.end();
  }
}

/** Every file below the directory, but those of these names. */
export function filesIn(directory: string, except: readonly string[]): Place[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => !except.includes(name))
    .map((name) => join(directory, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true)
    .map((path) => ({ name: path, bytes: readFileSync(path) }));
}

/** The command lines of all processes, and the environments of all below this one. */
export function processesAround(pid: number): Place[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  const lines = all.map((one) => ({ name: `command line of ${one}`, bytes: readProc(one, "cmdline") }));
  const environments = all
    .filter((one) => one !== pid && isBelow(one, pid))
    .map((one) => ({ name: `environment of ${one} (${executable(one)})`, bytes: readProc(one, "environ") }));
  return [...lines, ...environments];
}

function isBelow(pid: number, ancestor: number): boolean {
  for (let one: number | undefined = pid; one !== undefined && one > 1; one = parentOf(one))
    if (one === ancestor) return true;
  return false;
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)$/m.exec(readProc(pid, "status").toString())?.[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Empty where it has ended meanwhile. */
function readProc(pid: number, name: string): Buffer {
  try {
    return readFileSync(`/proc/${pid}/${name}`);
  } catch {
    return Buffer.alloc(0);
  }
}

function executable(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return "gone";
  }
}
