// The space that a folder takes, as `du` counts it: whole blocks of the disk, folders themselves, and a file with several
// names once. Used by the measure `size` and by the test of the package.

import { type BigIntStats, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Megabytes (10^6) of the folder and everything in it. Links are not followed. */
export function diskMb(folder: string): number {
  const sizes = new Map<bigint, bigint>();
  count(folder, lstatSync(folder, { bigint: true }), sizes);
  return Number(sizes.values().reduce((sum, size) => sum + size, 0n)) / 1e6;
}

function count(path: string, stats: BigIntStats, sizes: Map<bigint, bigint>): void {
  // The kernel's blocks have 512 bytes, whatever those of the disk have.
  sizes.set(stats.ino, stats.blocks * 512n);
  if (!stats.isDirectory()) return;
  for (const name of readdirSync(path)) {
    const inside = join(path, name);
    count(inside, lstatSync(inside, { bigint: true }), sizes);
  }
}
