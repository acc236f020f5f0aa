// How the tests on a real OpenStack run (npm run test:openstack): one lab for all of them, one file after the other, because
// they share its hosts. LESSOR_TEST_SHORT=1 runs a part of it, as CI does.

import { defineConfig } from "vitest/config";

const isShort = process.env.LESSOR_TEST_SHORT === "1";
/** Of the lab itself, and what starts another, or services anew, or compares every answer: longer than CI has for it. */
const longOnly = ["check", "crashes", "fake-openstack", "fleet", "killed", "lab", "notifications", "rabbit"];

export default defineConfig({
  test: {
    include: ["test/openstack/**/*.test.ts"],
    exclude: isShort ? longOnly.map((name) => `test/openstack/${name}.test.ts`) : [],
    globalSetup: ["test/openstack/global-setup.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
  },
});
