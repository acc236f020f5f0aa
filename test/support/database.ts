// A database of its own for each test or file of tests: a copy of the migrated template, some tens of milliseconds.

import { randomUUID } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { connect, type Database, type DatabaseConfig } from "../../src/database/connect.ts";
import { closeUntriggered, mayHaveUntriggered } from "./untriggered.ts";

export interface FreshDatabase {
  db: Database;
  /** For another pool, a listener or a whole server on the same database. */
  config: DatabaseConfig;
  url: string;
  /** Drops the database, whoever is still connected. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Everything migrated and nothing in it. Close it in `afterAll` or `afterEach`, or hold it with `await using`. */
export function freshDatabase(): Promise<FreshDatabase> {
  return makeDatabase(inject("postgres").template);
}

/** Not even migrated, for the tests of migrating. */
export function emptyDatabase(): Promise<FreshDatabase> {
  return makeDatabase("template0");
}

async function makeDatabase(template: string): Promise<FreshDatabase> {
  const { adminUrl } = inject("postgres");
  const name = `test_${randomUUID().replaceAll("-", "")}`;
  // Copied as files: by way of the log, as is usual, takes four times as long.
  await administer(adminUrl, `create database ${name} template ${template} strategy file_copy`);
  const url = withDatabase(adminUrl, name);
  const config = { url };
  const db = connect(config);
  mayHaveUntriggered(db, config);
  let closed: Promise<void> | undefined;
  const drop = async () => {
    await Promise.all([db.destroy(), closeUntriggered(db)]);
    await administer(adminUrl, `drop database ${name} with (force)`);
  };
  const close = () => {
    closed ??= drop();
    return closed;
  };
  return { db, config, url, close, [Symbol.asyncDispose]: close };
}

/** One statement on a connection of its own: these cannot run in a transaction, and are too rare for a pool. */
async function administer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** The embedded server's addresses differ only in the path; they have no host, so `URL` cannot parse them. */
function withDatabase(url: string, name: string): string {
  return url.replace(/@\/[^?]*/, `@/${name}`);
}
