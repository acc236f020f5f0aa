// The database's files: `<data directory>/postgres/data`, created by initdb on the first start. Invariant: `data`
// exists whole or not at all. initdb works in `data.unfinished`, which is renamed when complete and deleted after a
// crash. `postgres/` is 0700 and belongs to PostgreSQL's user; so trust authentication is safe: only that user or root
// can reach the socket in it.

import { spawn } from "node:child_process";
import { chmod, chown, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../data-directory.ts";
import type { Binaries } from "./binaries.ts";
import { firstClosedDirectory, type SystemUser } from "./system-user.ts";

/** The superuser of the embedded server, and the name of the program's database. */
export const DATABASE_NAME = "lessor";

/** The user, directory and minimal environment of a PostgreSQL process. */
export function processOptions(user: SystemUser | undefined) {
  return {
    // The current directory may be closed to that user. PG* and locale variables would change what PostgreSQL does.
    cwd: "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
    ...(user && { uid: user.uid, gid: user.gid }),
  };
}

/**
 * Makes the data directory passable for PostgreSQL's user. Throws, naming LESSOR_DATA_DIR, if a directory above it is
 * in the way: we must not open those.
 */
export async function openTheWay(dataDirectory: string, user: SystemUser | undefined): Promise<void> {
  const closed = user && firstClosedDirectory(user, dataDirectory);
  if (!user || closed === undefined) return;
  if (closed !== dataDirectory) {
    throw new Error(
      `PostgreSQL does not run as root; it runs as the user ${user.name}, who may not enter ${closed}. Set ` +
        `LESSOR_DATA_DIR to a directory that ${user.name} can reach (such as /var/lib/lessor), or allow it with ` +
        `\`chmod o+x ${closed}\`, or run Lessor as an ordinary user.`,
    );
  }
  // PostgreSQL's group may pass through the directory, but not list it; the program's own files in it stay 0600.
  await chown(dataDirectory, 0, user.gid);
  await chmod(dataDirectory, 0o710);
}

/**
 * Creates the cluster unless it exists, calling `meanwhile` once initdb has begun, and returns its directory. Throws if
 * it is of another PostgreSQL release.
 */
export async function prepareCluster(
  dataDirectory: string,
  binaries: Binaries,
  user: SystemUser | undefined,
  durable: boolean,
  meanwhile: () => void = () => {},
): Promise<string> {
  const home = join(dataDirectory, "postgres");
  await makePrivateDirectory(home, user);
  const cluster = join(home, "data");
  const version = await readFile(join(cluster, "PG_VERSION"), "utf8").catch(absent);
  if (version === undefined) await initialize(cluster, binaries, user, durable, meanwhile);
  else if (version.trim() !== binaries.majorVersion) {
    throw new Error(
      `The database in ${cluster} was made by PostgreSQL ${version.trim()}, but this program brings ` +
        `${binaries.majorVersion}. Dump it with the program that made it, and restore it into a new data directory ` +
        "(LESSOR_DATA_DIR), or point DATABASE_URL at a PostgreSQL of your own.",
    );
  }
  return cluster;
}

/** Only PostgreSQL's user may enter it. */
export async function makePrivateDirectory(path: string, user: SystemUser | undefined): Promise<void> {
  await makeDirectory(path, 0o700);
  if (user) await chown(path, user.uid, user.gid);
}

async function initialize(
  cluster: string,
  binaries: Binaries,
  user: SystemUser | undefined,
  durable: boolean,
  meanwhile: () => void,
): Promise<void> {
  const unfinished = `${cluster}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  // Text sorts by code point, the same on every machine, and yet upper and lower know all letters: PostgreSQL's own
  // C.UTF-8, not the C library's.
  const locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const args = [`--pgdata=${unfinished}`, `--username=${DATABASE_NAME}`, "--auth=trust", ...locale];
  const made = run(binaries.initdb, durable ? args : [...args, "--no-sync"], user);
  meanwhile();
  await made;
  await rename(unfinished, cluster);
  if (durable) await flushDirectory(join(cluster, ".."));
}

async function run(program: string, args: string[], user: SystemUser | undefined): Promise<void> {
  const child = spawn(program, args, { ...processOptions(user), stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.on("error", reject);
  child.on("close", (code, signal) =>
    code === 0 ? resolve() : reject(new Error(`${program} ended with ${signal ?? code}:\n${output}`)),
  );
  await promise;
}

async function flushDirectory(path: string): Promise<void> {
  const handle = await open(path, "r");
  await handle.sync().finally(() => handle.close());
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}
