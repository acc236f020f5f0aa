// The door to the database: a Kysely over a `pg` pool, with the three things this service wants different from their
// defaults: named prepared statements (named-statements.ts), exact JavaScript values (result-types.ts), and a lost
// connection that never becomes an unhandled error. Every room reaches the database through what this file exports.

import { Kysely, type Transaction as KyselyTransaction, PostgresDialect } from "kysely";
import pg from "pg";
import { nameStatements } from "./named-statements.ts";
import { resultTypes } from "./result-types.ts";
import type { Schema } from "./schema.ts";

export { type Listener, listen } from "./listen.ts";
export { inTransaction } from "./transaction.ts";
export { isUnavailable } from "./unavailable.ts";

export type Database = Kysely<Schema>;
export type Transaction = KyselyTransaction<Schema>;

export interface DatabaseConfig {
  /** `postgresql://user:password@host:port/name`; a Unix socket is `postgresql://user@/name?host=/directory`. */
  url: string;
  /** The pool's size, 8 unless told: measured on two cores, 4 to 8 are best and more is slower. */
  maxConnections?: number;
  /** Told in one line when an idle connection is lost. The pool replaces it by itself. */
  log?: (line: string) => void;
}

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
    // How long a query waits for a free connection or a silent server, before it counts as unavailable.
    connectionTimeoutMillis: 15_000,
    // A new connection has to prepare every statement again, so idle ones are kept long; one hour bounds what each
    // server process gathers in its caches.
    idleTimeoutMillis: 600_000,
    maxLifetimeSeconds: 3600,
  });
  const lost = (error: Error) => config.log?.(`lost a database connection: ${error.message}`);
  pool.on("error", lost);
  // While a client is checked out the pool does not listen for its errors, and one that is lost between two statements
  // of a transaction would end the program. Its next statement reports the loss to the caller.
  pool.on("connect", (client) => client.on("error", () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: nameStatements(pool) }) });
}
