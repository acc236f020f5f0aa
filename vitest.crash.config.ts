// How the long proofs run (npm run test:crash): kills, races, long random histories, hostile clients. One file after the
// other, because each wants the machine for itself. LESSOR_TEST_SHORT=1 runs the same in small, as CI does.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts", "src/engines/guest/boot-script-{home,disks}.test.ts"],
    env: { LESSOR_TEST_THOROUGH: process.env.LESSOR_TEST_SHORT === "1" ? "" : "1" },
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
  },
});
