// PostgreSQL does not run as root. So if the program is root (a first trial on a new server, a container), the database
// runs as a system user, and that user must be able to reach the files: checked by the kernel itself, which alone knows
// modes, groups, access lists and capabilities.
//
// Rejected: giving that user the capability to read everything. Containers often lack it, and it would give a database,
// which runs SQL, every file of the machine.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** In order of preference. Other services may run as `nobody` too and could then open the socket: still better. */
const CANDIDATES = ["postgres", "nobody"] as const;

/**
 * The user PostgreSQL runs as on this data directory; undefined means the program's own user. An existing cluster keeps
 * its owner, because PostgreSQL runs as no other. Throws if the program is root and no such user exists.
 */
export function databaseUser(
  dataDirectory: string,
  candidates: readonly string[] = CANDIDATES,
): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const cluster = statSync(join(dataDirectory, "postgres"), { throwIfNoEntry: false });
  const users = readUsers();
  if (cluster && cluster.uid !== 0) {
    const owner = users.find((user) => user.uid === cluster.uid);
    return { name: owner?.name ?? String(cluster.uid), uid: cluster.uid, gid: cluster.gid };
  }
  const chosen = candidates.map((name) => users.find((user) => user.name === name)).find((user) => user !== undefined);
  if (chosen) return chosen;
  throw new Error(
    `PostgreSQL does not run as root, and this system has no user ${candidates.join(" or ")} to run it as. ` +
      "Run Lessor as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
  );
}

/** The first of the directories on the way to `path` (and `path` itself) that `user` may not enter, if any. */
export function firstClosedDirectory(user: SystemUser, path: string): string | undefined {
  const way: string[] = [];
  for (let directory = path; ; directory = dirname(directory)) {
    if (existsSync(directory)) way.unshift(directory);
    if (directory === dirname(directory)) break;
  }
  return askAs(user, 'for d; do [ -x "$d" ] || { printf %s "$d"; break; }; done', way) || undefined;
}

/** Whether `user` can read all these files. */
export function canRead(user: SystemUser, files: readonly string[]): boolean {
  return askAs(user, 'for f; do [ -r "$f" ] || { printf no; break; }; done', files) === "";
}

function askAs(user: SystemUser, script: string, args: readonly string[]): string {
  const { uid, gid } = user;
  const asked = spawnSync("/bin/sh", ["-c", script, "sh", ...args], { uid, gid, cwd: "/", encoding: "utf8" });
  if (asked.error || asked.status !== 0) {
    throw new Error(
      `Nothing can be run as the user ${user.name} here (${asked.error?.message ?? asked.stderr}). PostgreSQL does not ` +
        "run as root: run Lessor as an ordinary user, or set DATABASE_URL to a PostgreSQL of your own.",
    );
  }
  return asked.stdout;
}

function readUsers(): SystemUser[] {
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  return lines
    .map((line) => line.split(":"))
    .map(([name = "", , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => uid > 0 && gid > 0);
}
