// Where tests keep files that nobody needs after them: in memory where there is plenty of it. A disk's file system takes up
// to ten times the processor's time for what tests do all the time: copy a small database, write a log, remove all of it.
// Used by global-setup.ts, temporary-directory.ts and guest/boot-trial.ts.

import { accessSync, constants, readFileSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";

/** Linux has it; what lies there is swapped out, never written. */
const shared = "/dev/shm";
/** What all tests together have there at once is a third of that. */
const enoughBytes = 4 * 2 ** 30;

/** An absolute path of a directory that everybody may write to. Where memory is short, or lets no program run: `tmpdir()`. */
export function temporaryRoot(): string {
  // Whoever sets a directory means it.
  if (process.env.TMPDIR !== undefined || process.platform !== "linux") return tmpdir();
  try {
    accessSync(shared, constants.W_OK);
    const { bavail, bsize } = statfsSync(shared);
    const mounted = readFileSync("/proc/self/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "));
    const options = mounted.find(([, path]) => path === shared)?.[3]?.split(",") ?? ["noexec"];
    return bavail * bsize >= enoughBytes && !options.includes("noexec") ? shared : tmpdir();
  } catch {
    return tmpdir();
  }
}
