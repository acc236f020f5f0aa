// How the tests run: beside the code and in test/, on one PostgreSQL that test/support/global-setup.ts starts for the whole
// run. A process runs many files one after the other: loading the service anew for each would be half of the time. So a
// file leaves nothing behind: no changed environment, no open server, no state of a module that the next one would see.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const include = ["src/**/*.test.ts", "test/**/*.test.ts", "bench/**/*.test.ts", "console/src/**/*.test.ts"];

/**
 * These need root and a lab, a long time, a proxy, a browser or a terminal, or start whole programs, and have settings of
 * their own (vitest.cluster.config.ts and so on).
 */
const elsewhere = [
  ...["cluster", "vm", "openstack", "crash", "prism", "console", "terminal", "generators", "guard"].map(
    (suite) => `test/${suite}/**`,
  ),
  "**/*.program.test.ts",
];

/** In processes of their own: time stands still here for the whole file, and undici keeps one clock for everything. */
const alone = ["src/engines/incus/client/patience.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // Room for what a test leaves behind at once, which is then thrown away less often: a twentieth of the CPU time.
    execArgv: ["--max-semi-space-size=64"],
    projects: [
      { extends: true, test: { name: "together", isolate: false, include, exclude: [...elsewhere, ...alone] } },
      { extends: true, test: { name: "alone", include: alone } },
    ],
    // One more than there are cores, since each waits for its database a sixth of the time: on two cores 295 s, not 350.
    maxWorkers: availableParallelism() + 1,
    // Patience with a busy machine, and no bound of anything: a test that bounds a time says so itself.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
