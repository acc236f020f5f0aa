// Splits long lists into slices, and lets the event loop run between them. Used by the full resync, whose lists contain
// all machines.

import { setImmediate as others } from "node:timers/promises";

/** `length`: some milliseconds of work. */
export async function* slicesOf<T>(list: readonly T[], length = 2000): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < list.length; from += length) {
    if (from > 0) await others();
    yield list.slice(from, from + length);
  }
}
