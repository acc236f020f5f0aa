// The door to the database: a Kysely over a `pg` pool, with the four things this service wants different from their
// defaults: named prepared statements (named-statements.ts), fewer round trips (round-trips.ts), exact JavaScript values
// (result-types.ts), and a lost connection that never becomes an unhandled error. Every room reaches the database through
// what this file exports.

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
  /** The pool's size, 8 unless told: measured on two cores, 4 to 8 are best and more is slower. */
  maxConnections?: number;
  /**
   * A statement that takes longer is ended, with an error for which `isUnavailable` holds: 30 seconds unless told, much
   * more than any needs. What is slow would otherwise keep its connection, also when nobody waits for it any more.
   */
  statementTimeoutMs?: number;
  /**
   * Statements are planned once, whatever their values: for the few short ones that run all the time and find rows by
   * their keys. PostgreSQL would plan `= any($1)` anew each time, which takes longer than to run it.
   */
  plansOnce?: boolean;
  /**
   * Rows are found by an index wherever there is one: for statements that all look for few rows. A plan is kept as long as
   * the connection; one of a table that was nearly empty reads all of it, and would go on so while it grows, until
   * autovacuum looks: measured 800 instead of 100 µs for each instance that was claimed in a new database.
   */
  findsByIndex?: boolean;
  /**
   * A connection whose statement is not answered for so long is cut, and the statement fails as unavailable: also where
   * the server has gone without a word, and nothing of ours would ever hear of it. For connections that are borrowed for
   * one short statement at a time. Default: none.
   */
  answersWithinMs?: number;
  /** Told in one line when an idle connection is lost. The pool replaces it by itself. */
  log?: (line: string) => void;
  /** Told of each statement that fails because the database is out of space (disk-full.ts). */
  onDiskFull?: () => void;
}

/** No transaction of ours waits for anything but the database, so this is much more than any needs. */
const idleInTransactionMs = 20_000;

/**
 * Opens nothing yet: connections are made when first needed, and again after they were lost. A statement that meets no
 * server throws an error for which `isUnavailable` holds. End with `destroy()`, which waits for connections in use.
 */
export function connect(config: DatabaseConfig): Database {
  const pool = new pg.Pool({
    connectionString: config.url,
    max: config.maxConnections ?? 8,
    application_name: "lessor",
    types: resultTypes,
    keepAlive: true,
    // Statements may be sent before the answer to those before them came: round-trips.ts does, and nobody else.
    pipeline: true,
    // How long a query waits for a free connection or a silent server, before it counts as unavailable.
    connectionTimeoutMillis: Math.min(15_000, config.answersWithinMs ?? Number.POSITIVE_INFINITY),
    // A new connection has to prepare every statement again, so idle ones are kept long; one hour bounds what each
    // server process gathers in its caches.
    idleTimeoutMillis: 600_000,
    maxLifetimeSeconds: 3600,
    // Not as a parameter of the connection, which some poolers between us and the server refuse. The pool waits for it.
    onConnect: async (client) => {
      await client.query(`set statement_timeout = ${config.statementTimeoutMs ?? 30_000}`);
      // A program that stands still in the middle of a transaction does not keep its locks from everybody for ever.
      await client.query(`set idle_in_transaction_session_timeout = ${idleInTransactionMs}`);
      // A statement that has to scan a table all the same looks dear enough to be compiled for it: half a second each.
      await client.query("set jit = off");
      if (config.plansOnce === true) await client.query("set plan_cache_mode = force_generic_plan");
      if (config.findsByIndex === true) await client.query("set enable_seqscan = off");
    },
  });
  const lost = (error: Error) => config.log?.(`lost a database connection: ${error.message}`);
  pool.on("error", lost);
  // While a client is checked out the pool does not listen for its errors, and one that is lost between two statements
  // of a transaction would end the program. Its next statement reports the loss to the caller.
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
    // In words that unavailable.ts knows.
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
  /** Who asked for a connection and has none yet. */
  readonly waiting: number;
  /** How many connections there may be. */
  readonly most: number;
}

/** How busy the connections are. Undefined for a database that is something else than what `connect` gave. */
export function poolState(db: Database): PoolState | undefined {
  const pool = pools.get(db);
  if (pool === undefined) return undefined;
  const { totalCount, idleCount, waitingCount, options } = pool;
  return { inUse: totalCount - idleCount, idle: idleCount, waiting: waitingCount, most: options.max };
}
