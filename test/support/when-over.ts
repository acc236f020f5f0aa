// When what a test has begun is to end: after the test, which is the rule, or after all tests of a file that share it.

import { afterAll, onTestFinished } from "vitest";

/** Takes what is to be done at the end. What came last is done first. */
export type WhenOver = (end: () => unknown) => void;

let ofHook: (() => unknown)[] | undefined;

/** After the test; of what is begun within `forAllTests`, after all tests that share it. */
export const afterTest: WhenOver = (end) => {
  if (ofHook === undefined) onTestFinished(async () => void (await end()));
  else ofHook.push(end);
};

/** For things that are begun in `beforeAll`. To be called at the top of a file, or of a `describe`. */
export function afterFile(): WhenOver {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return (end) => void ends.push(end);
}

/**
 * Begins in a `beforeAll` what only a test can begin otherwise: all that it leaves to `afterTest` is done by the function
 * that is returned, which the hook returns in turn. Not beside tests of the same file that use `afterTest` meanwhile.
 */
export async function forAllTests(begin: () => Promise<void>): Promise<() => Promise<void>> {
  const ends: (() => unknown)[] = [];
  const end = async () => {
    for (const one of ends.splice(0).reverse()) await one();
  };
  ofHook = ends;
  try {
    await begin();
  } catch (error) {
    await end();
    throw error;
  } finally {
    ofHook = undefined;
  }
  return end;
}
