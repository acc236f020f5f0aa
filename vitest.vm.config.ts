// How the tests on real virtual machines run (npm run test:vm): one lab for all of them, one file after the other, because
// they share its hosts and kill them.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/vm/**/*.test.ts"],
    globalSetup: ["test/vm/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    // Of tests that run at once: more guests than that only keep each other from booting.
    maxConcurrency: 3,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
  },
});
