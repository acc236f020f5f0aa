// The entry point to the database: a Kysely over a `pg` pool, with four changes to their defaults: named prepared
// statements (named-statements.ts), fewer round trips (round-trips.ts), exact JavaScript values (result-types.ts), and
// a lost connection that never becomes an unhandled error. Every module reaches the database through this file.

import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from "kysely";
import pg from "pg";
import { isDiskFull } from "./disk-full.ts";
import { nameStatements } from "./named-statements.ts";
import { resultTypes } from "./result-types.ts";
import type { Schema } from "./schema.ts";

export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;

export interface DatabaseConfig {
  /** `postgresql://user:password@host:port/name`; a Unix socket is `postgresql://user@/name?host=/directory`. */
  url: string;
  /** The pool's size, by default 8: measured on two cores, 4 to 8 are best and more is slower. */
  maxConnections?: number;
  /**
   * A longer statement is canceled, with an error for which `isUnavailable` holds: by default 30 seconds, much more
   * than any needs. Otherwise a slow statement would keep its connection, even if its caller no longer waits.
   */
  statementTimeoutMs?: number;
  /**
   * Statements are planned once, whatever their values: for the few short, frequent ones that find rows by their keys.
   * PostgreSQL would plan `= any($1)` anew each time, which takes longer than to run it.
   */
  plansOnce?: boolean;
  /**
   * Rows are found by an index if there is one: for statements that all look for few rows. A plan lives as long as its
   * connection; a plan for a nearly empty table scans all of it, and still does while the table grows, until autovacuum
   * runs: measured 800 instead of 100 µs for each instance that was claimed in a new database.
   */
  findsByIndex?: boolean;
  /**
   * A connection whose statement gets no response for this time is closed, and the statement fails as unavailable: also
   * if the server vanished silently, which would otherwise go unnoticed. For connections that are borrowed for one
   * short statement at a time. Default: none.
   */
  answersWithinMs?: number;
  /** Called with one line when an idle connection is lost. The pool replaces it. */
  log?: (line: string) => void;
  /** Called for each statement that fails because the database is out of space (disk-full.ts). */
  onDiskFull?: () => void;
}

/** Our transactions wait only for the database, so this is much more than they need. */
const idleInTransactionMs = 20_000;

/**
 * Opens nothing yet: connections are made when first needed, and again after a loss. Without a server, a statement
 * throws an error for which `isUnavailable` holds. End with `destroy()`, which waits for connections in use.
 */
export function connect(config: DatabaseConfig): Database {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.maxConnections ?? 8,
    application_name: "lessor",
    types: resultTypes,
    keepAlive: true,
    // Statements may be sent before earlier ones have a result: only round-trips.ts does so.
    pipeline: true,
    // How long a query waits for a free connection or a silent server, before it counts as unavailable.
    connectionTimeoutMillis: Math.min(15_000, config.answersWithinMs ?? Number.POSITIVE_INFINITY),
    // A new connection has to prepare every statement again, so idle ones are kept long; one hour limits the caches of
    // each server process.
    idleTimeoutMillis: 600_000,
    maxLifetimeSeconds: 3600,
    // Not as a connection parameter, which some poolers between us and the server reject. The pool waits for it.
    onConnect: async (client) => {
      await client.query(`set statement_timeout = ${config.statementTimeoutMs ?? 30_000}`);
      // A program that hangs in the middle of a transaction must not hold its locks forever.
      await client.query(`set idle_in_transaction_session_timeout = ${idleInTransactionMs}`);
      // A statement that must scan a table looks expensive enough for JIT compilation: half a second each.
      await client.query("set jit = off");
      if (config.plansOnce === true) await client.query("set plan_cache_mode = force_generic_plan");
      if (config.findsByIndex === true) await client.query("set enable_seqscan = off");
    },
  });
  const lost = (error: Error) => config.log?.(`lost a database connection: ${error.message}`);
  pool.on("error", lost);
  // While a client is checked out the pool does not listen for its errors, and a loss between two statements of a
  // transaction would end the program. Its next statement reports the loss to the caller.
  pool.on("connect", (client) => client.on("error", () => {}));
  if (config.answersWithinMs !== undefined) cutSilent(pool, config.answersWithinMs);
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: nameStatements(pool) }),
    log: (event) => {
      if (event.level === "error" && isDiskFull(event.error)) config.onDiskFull?.();
    },
  });
  pools.set(db, pool);
  return db;
}

function cutSilent(pool: pg.Pool, withinMs: number): void {
  const timers = new WeakMap<pg.PoolClient, NodeJS.Timeout>();
  pool.on("acquire", (client) => {
    // A message that unavailable.ts recognizes.
    const silent = () => client.connection.stream.destroy(new Error("Connection terminated: no answer in time"));
    timers.set(client, setTimeout(silent, withinMs));
  });
  pool.on("release", (_error, client) => clearTimeout(timers.get(client)));
}

/** The pool behind a database that `connect` opened. */
const pools = new WeakMap<Database, pg.Pool>();

export interface PoolState {
  readonly inUse: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
  /** The maximum number of connections. */
  readonly most: number;
}

/** How busy the connections are. Undefined for a database that `connect` did not open. */
export function poolState(db: Database): PoolState | undefined {
  const pool = pools.get(db);
  if (pool === undefined) return undefined;
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max };
}
