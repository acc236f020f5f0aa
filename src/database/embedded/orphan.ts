// After a kill -9 of the program its PostgreSQL may survive as an orphan. The next start stops it and starts its own:
// simpler than adopting it, because only a child reports its exit and writes its log to us. The caller holds the
// directory's lock, so no live program owns the server found here.
//
// `postmaster.pid` is trusted only if /proc agrees: its process id may have been reused (in a container the ids start
// over each time). PostgreSQL itself does not start while that id is alive.

import { readFileSync } from "node:fs";
import { chown, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns when no server runs on the cluster. Throws if an orphan does not end within 40 s. */
export async function stopOrphan(cluster: string, log: (line: string) => void): Promise<void> {
  const file = join(cluster, "postmaster.pid");
  const content = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
  if (content === undefined) return;
  const pid = Number.parseInt(content, 10);
  // Empty after a crash of the machine at a server's start: PostgreSQL would never start with it.
  if (Number.isNaN(pid)) return rm(file);
  if (!isPostmaster(pid, cluster)) return disown(file, content);
  log(`stopping PostgreSQL process ${pid}, which outlived the program that started it`);
  // Fast shutdown; if it hangs, immediate shutdown, which the next start recovers from.
  if (await ends(pid, cluster, "SIGINT", 30_000)) return;
  if (await ends(pid, cluster, "SIGQUIT", 10_000)) return;
  throw new Error(`PostgreSQL process ${pid} on ${cluster}, left by an earlier start, does not end. Stop it by hand.`);
}

async function ends(pid: number, cluster: string, signal: NodeJS.Signals, withinMs: number): Promise<boolean> {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
  // Not our child, so we get no exit event.
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(10)) {
    if (!isPostmaster(pid, cluster)) return true;
  }
  return false;
}

/** A zombie has no command line left, and so counts as gone. */
function isPostmaster(pid: number, cluster: string): boolean {
  try {
    const args = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return args.includes("-D") && args[args.indexOf("-D") + 1] === cluster;
  } catch {
    return false;
  }
}

/**
 * Replaces the id by one that no process can have, and leaves the rest: the file also names the shared memory by which
 * PostgreSQL notices server processes that outlived their postmaster. Deleting the file would let a new server write
 * beside them.
 */
async function disown(file: string, content: string): Promise<void> {
  const replacement = `${file}.disowned`;
  const owner = await stat(file);
  await writeFile(replacement, content.replace(/^\d+/, String(2 ** 31 - 1)), { mode: 0o600 });
  const made = await stat(replacement);
  // Only if needed: without the right to change owners (packaging/lessor.service), even setting the same one fails.
  if (made.uid !== owner.uid || made.gid !== owner.gid) await chown(replacement, owner.uid, owner.gid);
  await rename(replacement, file);
}
