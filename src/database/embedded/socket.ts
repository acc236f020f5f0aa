// Where the server listens: a Unix socket in a directory that only PostgreSQL's user may enter, and no network address.
// A socket's path is limited to 107 bytes; if the data directory's path is too long for that, the socket's directory is
// a new one in the system's temporary directory.

import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DATABASE_NAME, makePrivateDirectory } from "./cluster.ts";
import { firstClosedDirectory, type SystemUser } from "./system-user.ts";

const SOCKET_NAME = ".s.PGSQL.5432";
const LONGEST_PATH_BYTES = 107;

export interface SocketDirectory {
  path: string;
  /** Deletes what an earlier server left. The process id in its lock may have been reused. */
  clear(): Promise<void>;
  /** Called last: deletes a directory in tmp; one in the data directory stays. */
  remove(): Promise<void>;
}

/** Throws, naming LESSOR_DATA_DIR, if there is no place for the socket. */
export async function prepareSocketDirectory(
  dataDirectory: string,
  user: SystemUser | undefined,
): Promise<SocketDirectory> {
  const inside = join(dataDirectory, "postgres/socket");
  const path = fits(inside) ? inside : await mkdtemp(join(tmpdir(), "lessor-socket-"));
  if (path === inside) await makePrivateDirectory(path, user);
  else if (user) await chown(path, user.uid, user.gid);
  if (!fits(path) || (user && firstClosedDirectory(user, path) !== undefined)) {
    if (path !== inside) await rm(path, { recursive: true });
    throw new Error(`The path of ${dataDirectory} is too long for a socket: set LESSOR_DATA_DIR to a shorter one.`);
  }
  return {
    path,
    clear: async () => {
      await rm(join(path, SOCKET_NAME), { force: true });
      await rm(join(path, `${SOCKET_NAME}.lock`), { force: true });
    },
    remove: async () => {
      if (path !== inside) await rm(path, { recursive: true, force: true });
    },
  };
}

/** The address of a database of the embedded server. */
export function socketUrl(directory: string, database: string): string {
  return `postgresql://${DATABASE_NAME}@/${database}?host=${encodeURIComponent(directory)}`;
}

function fits(directory: string): boolean {
  return Buffer.byteLength(join(directory, SOCKET_NAME)) <= LONGEST_PATH_BYTES;
}
