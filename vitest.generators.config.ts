// Clients of variant D that four public generators make (npm run test:generators). They come from npm into a cache folder
// the first time.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/generators/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: availableParallelism(),
    testTimeout: 120_000,
    hookTimeout: 600_000,
  },
});
