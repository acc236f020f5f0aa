// What the programs of this folder have in common: a directory, a report, and an end that leaves nothing behind. Used by
// run.ts and secret.ts.

import { once } from "node:events";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WhenOver } from "../../support/when-over.ts";
import { Report } from "./report.ts";

export interface Run {
  readonly report: Report;
  /** Empty, and gone afterwards. */
  readonly directory: string;
  /** For what would outlive the process: it is ended also if a signal interrupts the run. */
  readonly whenOver: WhenOver;
}

/** Runs `tries` and ends the process: with 0 if all of it holds, and with 1 otherwise. Throws unless root runs it. */
export async function runProgram(tries: (run: Run) => Promise<void>): Promise<never> {
  if (process.getuid?.() !== 0) throw new Error("This needs root: it makes the disk of a Debian");
  const report = new Report();
  const directory = await mkdtemp(join(tmpdir(), "lessor-passthrough-"));
  // A database in it runs as another user.
  await chmod(directory, 0o711);
  const interrupted = Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]);
  const ends: (() => unknown)[] = [];
  const done = tries({ report, directory, whenOver: (end) => void ends.push(end) }).catch((error: unknown) => {
    const text = error instanceof Error ? (error.stack ?? error.message) : `${error}`;
    report.holds("all of it could be tried", false, text);
  });
  if ((await Promise.race([interrupted, done])) !== undefined) report.holds("it was let come to its end", false);
  for (const end of ends.reverse()) await end();
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  process.exit(report.end());
}
