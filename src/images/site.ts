// Where an image is built, and what becomes of its root. Between build.ts and the two shapes, tarball.ts and disk.ts.

import type { ToolOptions } from "./run-tool.ts";

export type Run = (name: string, args: readonly string[], options?: Partial<ToolOptions>) => Promise<void>;

export interface Site {
  /** For everything that is not the image yet. Removed with the build. */
  readonly directory: string;
  /** The root that mmdebstrap made, a directory of `directory`. */
  readonly root: string;
  /** Runs a tool as ourselves. */
  readonly run: Run;
  /** Runs a tool as the one who made the root, to whom its files belong to whom they are to belong in the image. */
  readonly inside: Run;
}

/** One kind of file that an image can be. */
export interface Shape {
  /** What the recipe's scripts are told after the path of the root. Plain words. */
  readonly scriptWords: readonly string[];
  /** Makes the file, a new one, of the root, which may be changed. */
  readonly pack: (site: Site, to: string) => Promise<void>;
}

/** What scripts and shapes may make in the site's directory as who made the root; removed like the root. */
export const besideRoot = ["esp"] as const;

/**
 * The beginning of today, in seconds. Later than the files of any package: times are cut to it, and a Python module whose
 * time were cut would no longer match its compiled form, and be compiled anew at each machine's first boot.
 */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 86_400_000) * 86_400;
}
