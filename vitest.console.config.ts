// How the tests of the web console run, in a real browser (npm run test:console): Debian's Chromium has to be installed.
// test/console/support/global-setup.ts builds the console first.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The longest files, longest first: one that begins last would keep one core waiting for it. */
const longest = ["loading", "looks-operator", "looks-renter", "operators-rights", "documentation", "operators-day"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const index = longest.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return index === -1 ? longest.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => place(a) - place(b));
  }
}

export default defineConfig({
  test: {
    include: ["test/console/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/console/support/global-setup.ts"],
    pool: "forks",
    // A worker keeps its browser and the service's code from file to file. As in vitest.config.ts a file leaves nothing behind.
    isolate: false,
    // One more than there are cores, since each waits for its browser a sixth of the time: on two cores 513 s, not 576.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
