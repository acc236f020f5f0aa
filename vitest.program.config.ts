// How the tests that start whole programs run (npm run test:program): the service as a process with its own database, a
// command line for every command of the documents, the package as npm installs it, the compiler and the linter of clients.
// Each start costs seconds, so they are no part of npm test, which has one: test/start/first-rental.test.ts.

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["src/**/*.program.test.ts", "test/**/*.program.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    // As in vitest.config.ts; the copy of a first start (test/support/started-once.ts) lasts from file to file.
    isolate: false,
    // One more than there are cores: each waits for its programs a third of the time.
    maxWorkers: availableParallelism() + 1,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
});
