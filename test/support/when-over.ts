// When what a test has begun is to end: after the test, which is the rule, or after all tests of a file that share it.

import { afterAll, onTestFinished } from "vitest";

/** Takes what is to be done at the end. What came last is done first. */
export type WhenOver = (end: () => unknown) => void;

export const afterTest: WhenOver = (end) => onTestFinished(async () => void (await end()));

/** For things that are begun in `beforeAll`. To be called at the top of a file, or of a `describe`. */
export function afterFile(): WhenOver {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return (end) => void ends.push(end);
}
