// How many files and connections the system lets this process open. At startup Node raises the soft limit to the hard
// one.

import { readFileSync } from "node:fs";

/** For the database, engines, logs and everything else besides client connections. */
const othersNeed = 500;

/** How many client connections fit under the limit. Infinity if unknown. `limits` is a parameter for the test. */
export function connectionsThatFit(limits: string = readLimits()): number {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? [];
  // A limit that is too low for all of it is shared.
  return soft === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(Number(soft) - othersNeed, Math.floor(Number(soft) / 2));
}

function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
