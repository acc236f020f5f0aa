// How the long proofs run (npm run test:crash): kills, races, long random histories, hostile clients. One file after the
// other, because each wants the machine for itself. LESSOR_TEST_SHORT=1 runs the same in small, as CI does.

import { defineConfig } from "vitest/config";

const isShort = process.env.LESSOR_TEST_SHORT === "1";
// What chance decides, or where power is cut: npm test tries a sample (test/support/extent.ts), and in small that is all.
const sampled = isShort
  ? []
  : [
      "src/engines/guest/boot-script-{home,disks}.test.ts",
      "src/rental/capacity/placement-races.test.ts",
      "src/rental/{funds,ledger}/random-history.test.ts",
      "src/rental/launching/together{,-races}.test.ts",
      "test/control/nonsense.test.ts",
      "test/payments/{random,auto-top-ups}-history.test.ts",
      "test/reconciler/*-random.test.ts",
    ];

export default defineConfig({
  test: {
    include: ["test/crash/**/*.test.ts", ...sampled],
    env: { LESSOR_TEST_THOROUGH: isShort ? "" : "1" },
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
  },
});
