// The address of an embedded server that another process runs: for a backup of a running service. The server itself
// records where it listens.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE_NAME } from "./cluster.ts";
import { socketUrl } from "./socket.ts";

/** The server of this directory accepts no connections now. */
export class NotRunning extends Error {
  override readonly name = "NotRunning";
}

/** The program's database on the server that runs in the data directory. Throws NotRunning and node:fs errors. */
export async function runningServerUrl(dataDirectory: string): Promise<string> {
  const path = join(dataDirectory, "postgres/data/postmaster.pid");
  const content = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  // Lines 5 and 8, as pg_ctl reads them.
  const lines = content.split("\n");
  const [directory, status] = [lines[4]?.trim(), lines[7]?.trim()];
  if (directory === undefined || directory === "" || status !== "ready") {
    throw new NotRunning(`The database in ${dataDirectory} is just starting or ending. Try again in a moment.`);
  }
  return socketUrl(directory, DATABASE_NAME);
}
