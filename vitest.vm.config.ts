// How the tests on real virtual machines run (npm run test:vm): one lab for all of them, one file after the other, because
// they share its hosts and kill them. LESSOR_TEST_SHORT=1 runs a part of it, as CI does.

import { defineConfig } from "vitest/config";

const isShort = process.env.LESSOR_TEST_SHORT === "1";
// In small: the contract, rentals, GPUs, isolation, hostile input and lost hosts. What takes minutes for one more way to
// boot, to move, to evict or to kill is left out; the same code runs in npm test, on a fake of libvirt. The lab's own tests
// are left out too.
const longOnly = [
  "addresses",
  "cloud-init",
  "console",
  "crashes",
  "evictions",
  "guest-metrics",
  "guests",
  "hosts",
  "lab",
  "moves",
];

export default defineConfig({
  test: {
    include: ["test/vm/**/*.test.ts"],
    exclude: isShort ? [...longOnly, "rental-moves"].map((name) => `test/vm/${name}.test.ts`) : [],
    globalSetup: ["test/vm/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    // Of tests that run at once: more guests than that only keep each other from booting.
    maxConcurrency: 3,
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
  },
});
