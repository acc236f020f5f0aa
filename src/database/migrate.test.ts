import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { emptyDatabase, freshDatabase } from "../../test/support/database.ts";
import { temporaryDirectory } from "../../test/support/temporary-directory.ts";
import type { Database } from "./connect.ts";
import { MigrationError, migrate } from "./migrate.ts";
import { isUnavailable } from "./unavailable.ts";

async function migrationsOf(files: Record<string, string>): Promise<string> {
  const directory = await temporaryDirectory();
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

async function database() {
  const fresh = await emptyDatabase();
  onTestFinished(() => fresh.close());
  return fresh;
}

async function tablesOf(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

const two = {
  "0001-apples.sql": "create table apples (id int); insert into apples values (1);",
  "0002-pears.sql": "create table pears (id int);",
};

describe("migrating", () => {
  it("applies each migration once, in order, and records it", async () => {
    const { db, config } = await database();
    const directory = await migrationsOf(two);
    expect(await migrate(config, directory)).toEqual(["apples", "pears"]);
    expect(await migrate(config, directory)).toEqual([]);
    expect(await tablesOf(db)).toEqual(["apples", "pears", "schema_migrations"]);
    const { rows } = await sql`select number, name, length(sha256) as length, applied_at <= now() as past
      from schema_migrations order by number`.execute(db);
    expect(rows).toEqual([
      { number: 1, name: "apples", length: 64, past: true },
      { number: 2, name: "pears", length: 64, past: true },
    ]);
  });

  it("goes on from where the database is", async () => {
    const { config } = await database();
    const directory = await migrationsOf(two);
    await migrate(config, directory);
    await writeFile(join(directory, "0003-plums.sql"), "create table plums (id int)");
    expect(await migrate(config, directory)).toEqual(["plums"]);
  });

  it("lets five replicas start at once, and each migration happens once", async () => {
    const { db, config } = await database();
    const directory = await migrationsOf(two);
    const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(config, directory)));
    expect(applied.flat()).toEqual(["apples", "pears"]);
    expect((await sql`select from apples`.execute(db)).rows).toHaveLength(1);
  });

  it("knows the test template as up to date", async () => {
    const fresh = await freshDatabase();
    onTestFinished(() => fresh.close());
    expect(await migrate(fresh.config)).toEqual([]);
  });
});

describe("a migration that fails", () => {
  it("leaves nothing of itself, keeps those before it, and is tried again at the next start", async () => {
    const { db, config } = await database();
    const directory = await migrationsOf({ ...two, "0003-bad.sql": "create table half (id int); select 1/0;" });
    const failed = migrate(config, directory);
    await expect(failed).rejects.toThrow(/^Migration 0003-bad failed and was rolled back: division by zero/);
    await expect(failed).rejects.toBeInstanceOf(MigrationError);
    expect(await tablesOf(db)).toEqual(["apples", "pears", "schema_migrations"]);
    await writeFile(join(directory, "0003-bad.sql"), "create table whole (id int)");
    expect(await migrate(config, directory)).toEqual(["bad"]);
  });
});

describe("migrating refuses", () => {
  it("a migration that was edited after it was applied", async () => {
    const { config } = await database();
    const directory = await migrationsOf(two);
    await migrate(config, directory);
    await writeFile(join(directory, "0001-apples.sql"), "create table apples (id bigint)");
    await expect(migrate(config, directory)).rejects.toThrow(/^Migration 0001-apples differs .* never edited/);
  });

  it("a database that a newer program migrated", async () => {
    const { config } = await database();
    const directory = await migrationsOf(two);
    await migrate(config, directory);
    await rm(join(directory, "0002-pears.sql"));
    await expect(migrate(config, directory)).rejects.toThrow(/0002-pears, which this program does not know/);
  });

  it("a server older than PostgreSQL 15", async () => {
    const { db, config } = await database();
    // A function in front of the real one answers as such a server would.
    await sql`create schema old`.execute(db);
    await sql`create function old.current_setting(text) returns text language sql
      as ${sql.raw("$$ select case $1 when 'server_version_num' then '140011' else '14.11' end $$")}`.execute(db);
    const name = sql.raw(/@\/(\w+)/.exec(config.url)?.[1] ?? "");
    await sql`alter database ${name} set search_path = old, pg_catalog, public`.execute(db);
    await expect(migrate(config)).rejects.toThrow("PostgreSQL 14.11, but Lessor needs 15 or newer");
  });

  it.each([[{ "0001-a.sql": "", "0003-c.sql": "" }], [{ "0001-a.sql": "", "0001-b.sql": "" }], [{ "first.sql": "" }]])(
    "files that break the row of numbers: %o",
    async (files) => {
      const { config } = await database();
      await expect(migrate(config, await migrationsOf(files))).rejects.toThrow(/^BUG: migrations are named/);
    },
  );

  it("a server that is away, recognisably", async () => {
    const error = await migrate({ url: "postgresql://u@/d?host=/nowhere" }).catch((error) => error);
    expect(isUnavailable(error)).toBe(true);
  });
});
