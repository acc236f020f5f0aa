// How the long proofs run (npm run test:crash): kills, races, long random histories, hostile clients. One file after the
// other, because each wants the machine for itself. LESSOR_TEST_SHORT=1 runs the same in small, as CI does.

import { defineConfig } from "vitest/config";

const isShort = process.env.LESSOR_TEST_SHORT === "1";
// In small, the boot script's power cuts are those of npm test.
const powerCuts = isShort ? [] : ["src/engines/guest/boot-script-{home,disks}.test.ts"];

export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts", ...powerCuts],
    env: { LESSOR_TEST_THOROUGH: isShort ? "" : "1" },
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
  },
});
