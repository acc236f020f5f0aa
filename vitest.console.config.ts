// How the tests of the web console run, in a real browser (npm run test:console): Debian's Chromium has to be installed.
// test/console/support/global-setup.ts builds the console first.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/console/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/console/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: availableParallelism(),
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
