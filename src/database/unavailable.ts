// Tells "the database cannot be reached now" from every other error, so that HTTP can answer 503 and the background
// loops can wait, without knowing `pg`. What was asked may or may not have happened: the caller decides if to repeat.

/** True when the error means that no server answered, it went away midway, or it takes no connections for now. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  if (code !== undefined) {
    if (socketCodes.has(code) || serverCodes.has(code) || code.startsWith("08")) return true;
    // A Unix socket that does not exist; ENOENT of a file is something else.
    if (code === "ENOENT" && syscall === "connect") return true;
    // 55000 is many things; of a connection, that an administrator closed the database (allow_connections).
    if (code === "55000" && error.message.endsWith("is not currently accepting connections")) return true;
  }
  return messages.some((start) => error.message.startsWith(start)) || isUnavailable(cause);
}

const socketCodes: ReadonlySet<string> = new Set(
  "ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EHOSTDOWN ENOTFOUND EAI_AGAIN".split(
    " ",
  ),
);

/** https://www.postgresql.org/docs/current/errcodes-appendix.html (class 08, connection exceptions, is matched whole) */
const serverCodes: ReadonlySet<string> = new Set([
  "57P01", // admin_shutdown: terminated by the administrator, or the server is being stopped
  "57P02", // crash_shutdown: another process of the server crashed
  "57P03", // cannot_connect_now: starting up or shutting down
  "57P05", // idle_session_timeout
  "53300", // too_many_connections
  "25006", // read_only_sql_transaction: a failover left us on a standby
]);

/** `pg`, its pool and Kysely give these no code. */
const messages = [
  "Connection terminated", // "…", "… unexpectedly", "… due to connection timeout"
  "timeout expired", // pg: no answer while connecting
  "timeout exceeded when trying to connect", // pg-pool: no connection became free in time
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Postgres connection has been discarded",
];
