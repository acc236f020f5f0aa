// The embedded PostgreSQL: used if no DATABASE_URL is set, and by the tests. Its programs come with npm, its files are
// in the data directory, and only this user and root can reach it. server.ts starts it first and stops it last; it has
// no exit hooks, so the program can drain before the database stops.

import { realpath } from "node:fs/promises";
import { lockDataDirectory } from "../data-directory-lock.ts";
import type { Reserve } from "../storage.ts";
import { findBinaries } from "./binaries.ts";
import { DATABASE_NAME, openTheWay, prepareCluster } from "./cluster.ts";
import { diskReserve } from "./disk-reserve.ts";
import { stopOrphan } from "./orphan.ts";
import { startPostmaster } from "./postmaster.ts";
import { prepareSocketDirectory, socketUrl } from "./socket.ts";
import { supervise } from "./supervise.ts";
import { databaseUser } from "./system-user.ts";

export interface EmbeddedOptions {
  dataDirectory: string;
  /** Gets PostgreSQL's log line by line, and our own lines about it. */
  log?: (line: string) => void;
  /** postgresql.conf settings over the defaults; with fsync off the cluster is also created without syncing. */
  settings?: Readonly<Record<string, string | number>>;
  /** Called when a process of PostgreSQL works and this one only waits for it; maybe more than once. */
  meanwhile?: () => void;
  /** Reserves disk space (disk-reserve.ts). Off: for tests, whose servers live for seconds. */
  keepsReserve?: boolean;
  /** As root: the system users to choose from, the first that exists. */
  systemUsers?: readonly string[];
}

export interface EmbeddedServer {
  /** The program's database, for `connect`, `migrate` and psql. Stays the same over restarts of the server. */
  url: string;
  /** The address of another database of the same server. */
  urlOf(database: string): string;
  /** Undefined if none is kept. */
  reserve: Reserve | undefined;
  /** Ends all sessions, writes everything out and waits for the exit. Call it when the program has drained. */
  stop(): Promise<void>;
}

/**
 * Creates the database on the first start, stops a server that a killed program left, and starts a new one; restarts it
 * if it exits unexpectedly. Throws DataDirectoryInUse if another program runs on the directory, and errors with advice
 * if PostgreSQL is missing, may not reach its files, or does not start.
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const { log = () => {}, settings = {}, meanwhile = () => {} } = options;
  await using undo = new AsyncDisposableStack(); // undoes completed steps if a later one throws
  // Its own lock beside the program's: callers that start a server here without that one are alone too.
  const lock = await lockDataDirectory(options.dataDirectory, "postgres");
  undo.defer(() => lock.release());

  const dataDirectory = await realpath(options.dataDirectory);
  const user = databaseUser(dataDirectory, options.systemUsers);
  await openTheWay(dataDirectory, user);
  const binaries = await findBinaries(dataDirectory, user);
  const cluster = await prepareCluster(dataDirectory, binaries, user, settings.fsync !== "off", meanwhile);
  const socket = await prepareSocketDirectory(dataDirectory, user);
  undo.defer(() => socket.remove());

  const start = async () => {
    await stopOrphan(cluster, log);
    await socket.clear();
    return startPostmaster({ binaries, cluster, socketDirectory: socket.path, user, settings, log, meanwhile });
  };
  const reserve = options.keepsReserve === true ? diskReserve(dataDirectory, log) : undefined;
  // Before the server: if the disk is already full, the start is retried on the released space.
  reserve?.watch();
  undo.defer(() => reserve?.stop());
  const server = await supervise(start, log);
  undo.defer(() => server.stop());

  const running = undo.move();
  let stopped: Promise<void> | undefined;
  return {
    url: socketUrl(socket.path, DATABASE_NAME),
    reserve,
    urlOf: (database) => socketUrl(socket.path, database),
    stop: () => {
      stopped ??= running.disposeAsync(); // in reverse order: the server, its socket, the lock
      return stopped;
    },
  };
}
