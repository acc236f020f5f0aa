// How the tests run: beside the code and in test/, each file in a process of its own, on one PostgreSQL that
// test/support/global-setup.ts starts for the whole run.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts", "console/src/**/*.test.ts"],
    // The first two need root and a lab, the third a long time, the fourth a proxy: vitest.cluster.config.ts,
    // vitest.vm.config.ts, vitest.crash.config.ts, vitest.prism.config.ts.
    exclude: ["test/cluster/**", "test/vm/**", "test/crash/**", "test/prism/**"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // By default one core is left free, which on two of them doubles the time.
    maxWorkers: availableParallelism(),
    // Patience with a busy machine, and no bound of anything: a test that bounds a time says so itself.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
