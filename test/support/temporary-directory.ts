// Files of a test, gone when it is over.

import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty directory that only we may enter (unless told otherwise), removed after the test that called this. */
export async function temporaryDirectory(mode = 0o700): Promise<string> {
  const path = await mkdtemp(join(await realpath(tmpdir()), "lessor-test-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  await chmod(path, mode);
  return path;
}
