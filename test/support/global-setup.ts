// Runs once around all tests: an embedded PostgreSQL in a temporary directory, and in it a migrated template database
// that `freshDatabase` copies. It forgets everything, so it need not wait for the disk.

import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { startEmbedded } from "../../src/database/embedded/start.ts";
import { migrate } from "../../src/database/migrate.ts";
import { temporaryRoot } from "./temporary-root.ts";

/** What the workers need to make databases; `inject("postgres")` in them. */
export interface PostgresForTests {
  /** The database to give `create database` and `drop database` from. */
  adminUrl: string;
  template: string;
  /** What lies in it is removed after all tests. */
  directory: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    postgres: PostgresForTests;
  }
}

const TEMPLATE = "template_migrated";

/** Returns the teardown. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDirectory = await mkdtemp(join(temporaryRoot(), "lessor-test-"));
  const server = await startEmbedded({
    dataDirectory,
    settings: {
      fsync: "off",
      full_page_writes: "off",
      synchronous_commit: "off",
      // Each file of tests has pools of its own, and each worker runs several files one after the other.
      max_connections: 500,
      // A template that a vacuum worker is connected to cannot be copied.
      autovacuum: "off",
      max_wal_size: "1GB",
      // A statement is planned at its first use on a connection, and not five times more for the values that it comes
      // with: tests use each a few times, and planning was half of the database's work. Plans change no result.
      plan_cache_mode: "force_generic_plan",
    },
  });
  const teardown = async () => {
    await server.stop();
    await rm(dataDirectory, { recursive: true, force: true });
  };
  try {
    await createTemplate(server.url);
    await migrate({ url: server.urlOf(TEMPLATE) });
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide("postgres", { adminUrl: server.url, template: TEMPLATE, directory: dataDirectory });
  return teardown;
}

async function createTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${TEMPLATE}`);
  } finally {
    await client.end();
  }
}
