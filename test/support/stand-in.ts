// Programs that stand in for real ones in a test: shell scripts in a directory of their own, first in PATH.

import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "./temporary-directory.ts";
import { afterTest } from "./when-over.ts";

/** Puts them there until the test is over. Returns their directory, which the scripts know as `$HERE`. */
export async function fakeProgram(programs: Readonly<Record<string, string>>): Promise<string> {
  const directory = await temporaryDirectory();
  for (const [name, script] of Object.entries(programs)) {
    const path = join(directory, name);
    await writeFile(path, `#!/bin/sh\nHERE='${directory}'\n${script}\n`);
    await chmod(path, 0o700);
  }
  await usePath(`${directory}:${process.env.PATH}`);
  return directory;
}

/** Has all programs looked for only there until the test is over. */
export async function usePath(path: string): Promise<void> {
  const before = process.env.PATH;
  process.env.PATH = path;
  afterTest(() => {
    process.env.PATH = before;
  });
}

/**
 * Stands in for what makes ISO images, which not every machine has that runs these tests: the "image" holds the names
 * and the bytes of the files, one after the other.
 */
export function standInIso(): Promise<string> {
  const script = `
    while [ "$#" -gt 0 ]; do
      case "$1" in
        -output) output=$2; shift 2;;
        -volid) volume=$2; shift 2;;
        -*) shift;;
        *) break;;
      esac
    done
    { echo "volume $volume"; for file; do echo "file \${file##*/}"; cat "$file"; done; } >"$output"`;
  return fakeProgram({ genisoimage: script });
}
