// How the conformance suite runs behind Prism, a validating proxy that nobody here wrote (npm run test:prism). Prism comes
// from npm into a cache folder the first time.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/prism/**/*.test.ts", "test/conformance/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts", "test/prism/global-setup.ts"],
    pool: "forks",
    maxWorkers: availableParallelism(),
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
