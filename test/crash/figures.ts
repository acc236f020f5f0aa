// What a long proof reached, as a line that a person can read: printed when it is known, whether it is enough or not.
//
//   figure("launches on 200 places", { reached: 200, toReach: 200, of: "600 launches through 3 servers, 20 times" });

import { writeSync } from "node:fs";

export interface Figure {
  readonly reached: number | string;
  readonly toReach: number | string;
  /** What was done for it: runs, commands, seeds. */
  readonly of?: string;
}

/** Prints the figure. Past vitest's own handling of output, which would put the test's name around each line. */
export function figure(name: string, { reached, toReach, of }: Figure): void {
  writeSync(1, `  ${name}: ${reached} (to reach: ${toReach})${of === undefined ? "" : `; ${of}`}\n`);
}
