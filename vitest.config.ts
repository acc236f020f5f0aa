// How the tests run: beside the code and in test/, each file in a process of its own, on one PostgreSQL that
// test/support/global-setup.ts starts for the whole run.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Those need root and a cluster: vitest.cluster.config.ts.
    exclude: ["test/cluster/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
});
