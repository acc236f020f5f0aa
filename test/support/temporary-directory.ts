// Files of a test, gone when it is over.

import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { temporaryRoot } from "./temporary-root.ts";
import { afterTest, type WhenOver } from "./when-over.ts";

/** An empty directory that only we may enter (unless told otherwise), removed after the test that called this. */
export async function temporaryDirectory(mode = 0o700, whenOver: WhenOver = afterTest): Promise<string> {
  const path = await mkdtemp(join(await realpath(temporaryRoot()), "lessor-test-"));
  // A database whose program was just killed writes its last files for some moments more.
  whenOver(() => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }));
  await chmod(path, mode);
  return path;
}
