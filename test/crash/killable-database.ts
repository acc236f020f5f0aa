// A PostgreSQL of one proof's own, on the binaries that the program brings and with everything flushed to disk as in
// production, that can be killed. It starts again by itself, as the supervisor of a real one would do it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { connect, type Database } from "../../src/database/connect.ts";
import { startEmbedded } from "../../src/database/embedded/start.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import type { WhenOver } from "../support/when-over.ts";

export interface KillableDatabase {
  readonly url: string;
  readonly db: Database;
  /** SIGKILL: dead at once. SIGINT: a fast shutdown, every session is ended. Gives the moment (performance.now()). */
  kill(signal: "SIGKILL" | "SIGINT"): Promise<number>;
  /** Comes back when the server that took the killed one's place answers; gives the moment. */
  back(): Promise<number>;
}

export async function startKillableDatabase(whenOver: WhenOver): Promise<KillableDatabase> {
  const dataDirectory = await temporaryDirectory(0o700, whenOver);
  const server = await startEmbedded({ dataDirectory });
  whenOver(() => server.stop());
  const db = connect({ url: server.url });
  whenOver(() => db.destroy());
  let killed = 0;
  const pid = async () =>
    Number.parseInt(await readFile(join(dataDirectory, "postgres/data/postmaster.pid"), "utf8"), 10);
  return {
    url: server.url,
    db,
    async kill(signal) {
      killed = await pid();
      process.kill(killed, signal);
      return performance.now();
    },
    async back() {
      for (;;) {
        // The old one may still answer while it shuts down.
        const now = await pid().catch(() => killed);
        if (now !== killed && (await answers(server.url))) return performance.now();
        await sleep(5);
      }
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {}); // the statement that meets the lost connection throws
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
