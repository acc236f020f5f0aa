// Images of labs are built once and kept outside the checkout, for later runs of it and of others.
//
// Invariant: what is there is whole. It is built beside its place, because two labs may build at once, and a build may be
// interrupted.

import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { imageCache } from "./grounds.ts";

/** What a directory of the cache holds. */
export interface CachedBuild {
  readonly name: string;
  /** Changes with the recipe. */
  readonly digest: string;
  /** Makes the files in the directory, which is empty. */
  readonly build: (directory: string) => Promise<void>;
}

/** The directory with the files; builds them where no run has by the same recipe. Throws what the build throws. */
export async function builtOnce({ name, digest, build }: CachedBuild, log: (line: string) => void): Promise<string> {
  const directory = join(imageCache, `vm-${name}-${digest.slice(0, 16)}`);
  if (existsSync(directory)) return directory;
  log(`building ${directory}`);
  mkdirSync(imageCache, { recursive: true });
  const unfinished = mkdtempSync(`${directory}.`);
  try {
    await build(unfinished);
    renameSync(unfinished, directory);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another lab was faster.
    if (!existsSync(directory)) throw error;
  }
  return directory;
}
