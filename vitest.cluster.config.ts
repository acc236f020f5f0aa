// How the tests on a real cluster run (npm run test:cluster): one lab for all of them, one file after the other, because
// they share its members and kill them. LESSOR_TEST_SHORT=1 runs a part of it, as CI does.

import { defineConfig } from "vitest/config";

const isShort = process.env.LESSOR_TEST_SHORT === "1";
// In small: the contract, one rental, a lost member and a few kills. What takes minutes for one more way to boot, to move
// or to kill is left out; the same code runs in npm test, on a fake of the cluster. The lab's own tests are left out too.
const longOnly = [
  "check",
  "evictions",
  "first-boot",
  "guest-metrics",
  "guests",
  "https",
  "lab",
  "moves",
  "overhead",
  "rental-moves",
];

export default defineConfig({
  test: {
    include: ["test/cluster/**/*.test.ts"],
    exclude: isShort ? longOnly.map((name) => `test/cluster/${name}.test.ts`) : [],
    globalSetup: ["test/cluster/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
  },
});
