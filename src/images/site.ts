// The working directory of a build, and the file made from its root. Shared by build.ts, tarball.ts and disk.ts.

import type { ToolOptions } from "./run-tool.ts";

export type Run = (name: string, args: readonly string[], options?: Partial<ToolOptions>) => Promise<void>;

export interface Site {
  /** For everything but the image itself. Removed after the build. */
  readonly directory: string;
  /** The root that mmdebstrap made, a directory of `directory`. */
  readonly root: string;
  /** Runs a tool as the current user. */
  readonly run: Run;
  /** Runs a tool as the user who made the root, for whom its files have the owners that they have in the image. */
  readonly inside: Run;
}

/** One kind of image file. */
export interface Shape {
  /** What the recipe's scripts are passed after the path of the root. Plain words. */
  readonly scriptWords: readonly string[];
  /** Creates the new file from the root, which may be changed. */
  readonly pack: (site: Site, to: string) => Promise<void>;
}

/** What scripts and shapes may create in the site's directory as the owner of the root; removed like the root. */
export const besideRoot = ["esp"] as const;

/**
 * Midnight today, in seconds. Later than the files of any package: later times are clamped to it, and a Python module
 * with a clamped time would no longer match its compiled form, and be compiled again at each machine's first boot.
 */
export function epochSeconds(): number {
  return Math.floor(Date.now() / 86_400_000) * 86_400;
}
