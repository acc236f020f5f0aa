// The commit that landed last, as a checkout that runs: what is about to land is measured against it. Its name is in
// .ci/landed, which the first change after a landing sets. Used by guard.ts.

import { execFile } from "node:child_process";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { checkout } from "../service/service.ts";

const run = promisify(execFile);

/** The files of the landed commit and its packages, in the new `directory`; undefined if this clone does not have the commit. */
export async function landedCheckout(directory: string): Promise<string | undefined> {
  const commit = (await readFile(join(checkout, ".ci/landed"), "utf8")).trim();
  const git = (...args: string[]) => run("git", args, { cwd: checkout });
  if (
    !(await git("cat-file", "-e", `${commit}^{commit}`).then(
      () => true,
      () => false,
    ))
  )
    return undefined;
  await mkdir(directory, { recursive: true });
  const archive = join(directory, "landed.tar");
  await git("archive", `--output=${archive}`, commit);
  await run("tar", ["--extract", `--file=${archive}`, `--directory=${directory}`]);
  await packages(directory);
  return directory;
}

/** Those of this checkout if they are the same, which spares half a minute. */
async function packages(directory: string): Promise<void> {
  const [landed, now] = await Promise.all(
    [directory, checkout].map((of) => readFile(join(of, "package-lock.json"), "utf8")),
  );
  if (landed === now) await symlink(join(checkout, "node_modules"), join(directory, "node_modules"));
  else await run("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: directory });
}
