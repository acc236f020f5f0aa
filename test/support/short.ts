// How much a long proof does: all of it, or little of each kind where LESSOR_TEST_SHORT=1 asks for that, as CI does.

/** Whether the proofs run in small. */
export const isShort = process.env.LESSOR_TEST_SHORT === "1";

/** How much of something, or which of it: `full`, or `short` where the proofs run in small. */
export function extent<T>(full: T, short: T): T {
  return isShort ? short : full;
}
