// Tells "the database is unreachable now" from every other error, so that HTTP can answer 503 and the background loops
// can wait, without knowing `pg`. The statement may or may not have run: the caller decides whether to repeat it.
// A database that lacks resources (disk, memory) counts as unreachable now.

import { isDiskFull } from "./disk-full.ts";

/** True if no server responded, it went away midway, or it accepts no connections for now. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, cause } = error as NodeJS.ErrnoException & { cause?: unknown };
  if (code !== undefined) {
    if (socketCodes.has(code) || serverCodes.has(code) || /^(08|53)/.test(code) || isDiskFull(error)) return true;
    // A Unix socket that does not exist; ENOENT of a file is something else.
    if (code === "ENOENT" && syscall === "connect") return true;
    // 55000 is ambiguous; for a connection, it means that an administrator closed the database (allow_connections).
    if (code === "55000" && error.message.endsWith("is not currently accepting connections")) return true;
  }
  return messages.some((start) => error.message.startsWith(start)) || isUnavailable(cause);
}

/**
 * True if the statement may have run all the same: no response came. If the server itself rejected it (it took too
 * long, it waited too long for a lock, it accepts nothing now), it did not.
 */
export function mayHaveHappened(error: unknown): boolean {
  if (!isUnavailable(error)) return false;
  const { code } = error as NodeJS.ErrnoException; // isUnavailable has made sure that it is an error
  if (isDiskFull(error)) return false;
  return code === undefined || !(refusedByServer.has(code) || code.startsWith("53"));
}

const socketCodes: ReadonlySet<string> = new Set(
  "ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH EHOSTDOWN ENOTFOUND EAI_AGAIN".split(
    " ",
  ),
);

// https://www.postgresql.org/docs/current/errcodes-appendix.html
// (whole classes: 08, connection exceptions; 53, insufficient resources)
const serverCodes: ReadonlySet<string> = new Set([
  "57P01", // admin_shutdown: terminated by the administrator, or the server is being stopped
  "57P02", // crash_shutdown: another process of the server crashed
  "57P03", // cannot_connect_now: starting up or shutting down
  "57P05", // idle_session_timeout
  "25P03", // idle_in_transaction_session_timeout
  "55P03", // lock_not_available: it waited too long for a lock (lock_timeout)
  "57014", // query_canceled: it took too long (statement_timeout), or an administrator ended it
  "25006", // read_only_sql_transaction: a failover left us on a standby
]);

const refusedByServer: ReadonlySet<string> = new Set(["55P03", "57014", "25006"]);

/** `pg`, its pool and Kysely give these no code. */
const messages = [
  "Connection terminated", // "…", "… unexpectedly", "… due to connection timeout"
  "timeout expired", // pg: no answer while connecting
  "timeout exceeded when trying to connect", // pg-pool: no connection became free in time
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
  "Postgres connection has been discarded",
];
