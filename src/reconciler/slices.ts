// Long lists in slices, between which the event loop does what else there is. Used by sweeps, whose lists hold everything.

import { setImmediate as others } from "node:timers/promises";

/** `length`: so many are some milliseconds of work. */
export async function* slicesOf<T>(list: readonly T[], length = 2000): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < list.length; from += length) {
    if (from > 0) await others();
    yield list.slice(from, from + length);
  }
}
