// Where the power is cut in the tests of the boot script: at each of its commands in the long proofs (npm run test:crash),
// elsewhere at a sample of them, as each cut is two boots of many processes.

import { isThorough } from "../extent.ts";

/** Steps between two cuts of the sample: no divisor of what a boot repeats for each file it writes. */
const stride = 7;

/** The calls at which to cut a boot that makes so many: the first, the last, and those between that are its turn. */
export function powerCuts(calls: number): number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  return isThorough ? all : all.filter((at) => at === 1 || at === calls || at % stride === 0);
}
