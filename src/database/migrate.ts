// Migrates the database to this program: applies migrations/NNNN-name.sql in order, forward only, each in one
// transaction with its record in `schema_migrations`. All under one advisory lock, so any number of replicas may start
// at once: one migrates, the others wait and find nothing to do. Called at start, before other connections.

import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";

/** The number is arbitrary; it only has to be the same in every replica and every version. */
const ADVISORY_LOCK = 7_021_530_664;
const OLDEST_SERVER = 150_000;

/** The database and this program are incompatible; the message says what to do about it. */
export class MigrationError extends Error {
  override name = "MigrationError";
}

interface Migration {
  number: number;
  name: string;
  sql: string;
  sha256: string;
}

/** A migration as recorded when it was applied. */
export type AppliedMigration = Omit<Migration, "sql">;

/**
 * Returns the names of the migrations it applied, none when the database was up to date. A migration that fails leaves
 * the database at the one before it. With `upTo` no later ones are applied. Throws MigrationError when the server is
 * older than PostgreSQL 15, when a migration failed or was edited after it was applied, or when the database is newer
 * than this program.
 */
export async function migrate(
  config: { url: string },
  directory = ownMigrations,
  upTo = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const migrations = await readMigrations(directory);
  const client = new pg.Client({ connectionString: config.url, application_name: "lessor migration" });
  client.on("error", () => {}); // the statement that meets the lost connection throws
  await client.connect();
  try {
    await checkServer(client);
    await client.query("set statement_timeout = 0; set lock_timeout = 0; set client_min_messages = warning");
    // Held by the session: it is released by end() below, or by the server if this program dies.
    await client.query("select pg_advisory_lock($1)", [ADVISORY_LOCK]);
    const pending = (await findPending(client, migrations)).filter(({ number }) => number <= upTo);
    for (const migration of pending) await apply(client, migration);
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Throws MigrationError unless these are the first of this program's migrations. `what`: the target, for messages. */
export async function refuseUnknownMigrations(applied: readonly AppliedMigration[], what: string): Promise<void> {
  refuseUnknown(applied, await readMigrations(ownMigrations), what);
}

/** The SQL of this program's migrations after this one, in order. For code that depends on them (backup/load.ts). */
export async function migrationsAfter(number: number): Promise<string[]> {
  const migrations = await readMigrations(ownMigrations);
  return migrations.filter((migration) => migration.number > number).map(({ sql }) => sql);
}

const ownMigrations = join(import.meta.dirname, "migrations");

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file, index) => {
      const [, digits, name] = /^(\d{4})-([a-z0-9-]+)\.sql$/.exec(file) ?? [];
      if (name === undefined || Number(digits) !== index + 1) {
        throw new Error(`BUG: migrations are named 0001-name.sql, 0002-name.sql and so on; ${file} breaks the row`);
      }
      const sql = await readFile(join(directory, file), "utf8");
      return { number: index + 1, name, sql, sha256: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

async function checkServer(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ number: string; version: string }>(
    "select current_setting('server_version_num') as number, current_setting('server_version') as version",
  );
  if (rows[0] && Number(rows[0].number) >= OLDEST_SERVER) return;
  throw new MigrationError(`The database server is PostgreSQL ${rows[0]?.version}, but Lessor needs 15 or newer.`);
}

/** The pending migrations, after checking that the applied ones match this program's. */
async function findPending(client: pg.Client, migrations: Migration[]): Promise<Migration[]> {
  await client.query(`
    create table if not exists schema_migrations (
      number integer primary key,
      name text not null,
      sha256 text not null,
      applied_at timestamptz not null default now()
    )`);
  const { rows: applied } = await client.query<AppliedMigration>(
    "select number, name, sha256 from schema_migrations order by number",
  );
  refuseUnknown(applied, migrations, "database");
  return migrations.slice(applied.length);
}

function refuseUnknown(applied: readonly AppliedMigration[], migrations: readonly Migration[], what: string): void {
  for (const [index, record] of applied.entries()) {
    const known = migrations[index];
    if (!known) {
      throw new MigrationError(
        `The ${what} has migration ${label(record)}, which this program does not know: it was migrated by a newer ` +
          "version. Run that version or a newer one; migrations are never undone.",
      );
    }
    if (known.number !== record.number || known.sha256 !== record.sha256) {
      throw new MigrationError(
        `Migration ${label(known)} differs from what was applied to this ${what} as ${label(record)} ` +
          `(sha256 ${known.sha256}, applied ${record.sha256}). An applied migration is never edited: restore the file ` +
          "and write the change as a new migration.",
      );
    }
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query("begin");
    await client.query(migration.sql);
    await client.query("insert into schema_migrations (number, name, sha256) values ($1, $2, $3)", [
      migration.number,
      migration.name,
      migration.sha256,
    ]);
    await client.query("commit");
  } catch (cause) {
    // The transaction ends with the connection, which the caller closes.
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new MigrationError(`Migration ${label(migration)} failed and was rolled back: ${reason}`, { cause });
  }
}

function label({ number, name }: { number: number; name: string }): string {
  return `${String(number).padStart(4, "0")}-${name}`;
}
