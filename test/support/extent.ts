// How much a test does that tries what chance gives it: a sample in npm test, and far more of the same in the long proofs
// (npm run test:crash), where vitest.crash.config.ts lists the files. Both start from the same seed, so the sample is the
// beginning of what is tried there.

/** Whether this is a long proof. */
export const isThorough = process.env.LESSOR_TEST_THOROUGH === "1";

/** How many of something. */
export function sample(few: number, many: number): number {
  return isThorough ? many : few;
}

/**
 * Whether one of a list is in the sample, which has one of `share`. Where several lists are combined, as operations with
 * values, give the sum of their indices: each operation is tried with some values then, and each value on some operations.
 */
export function isSampled(index: number, share: number): boolean {
  return isThorough || index % share === 0;
}

/** How many random histories to play: as many as LESSOR_TEST_RUNS says, to look for what these do not find. */
export function histories(few: number, many: number): number {
  return Number(process.env.LESSOR_TEST_RUNS ?? sample(few, many));
}

/** 1, 2 and so on: one for each round of a race, of which no two are alike. */
export function rounds(few: number, many: number): number[] {
  return Array.from({ length: sample(few, many) }, (_, index) => index + 1);
}
