// How the long proofs run (npm run test:crash): kills, races, long random histories, hostile clients. One file after the
// other, because each wants the machine for itself. LESSOR_TEST_SHORT=1 runs the same in small, as CI does.

import { defineConfig } from "vitest/config";

const isShort = process.env.LESSOR_TEST_SHORT === "1";
// What chance decides, or where power is cut: npm test tries a sample (test/support/extent.ts), and in small that is all.
const sampled = isShort
  ? []
  : [
      "bench/packing/packing.test.ts",
      "src/engines/guest/boot-script-{home,disks}.test.ts",
      "src/engines/libvirt/move/move.test.ts",
      "src/http/edge/requests.test.ts",
      "src/rental/billing/usage-parts.test.ts",
      "src/rental/capacity/{gpu-partitions,host-order,mirror-history,placement-races,requirements,reserve-together}.test.ts",
      "src/rental/freshness.test.ts",
      "src/rental/{funds,ledger}/random-history.test.ts",
      "src/rental/launching/together{,-races}.test.ts",
      "src/rental/spot/choose-evictions.test.ts",
      "test/conformance/{bad-input,generated,idempotency}.test.ts",
      "test/control/nonsense.test.ts",
      "test/payments/{random,auto-top-ups}-history.test.ts",
      "test/races/launches.test.ts",
      "test/reconciler/{*-random,deliveries,gpu-resets}.test.ts",
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
