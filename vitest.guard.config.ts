// How the guard of speed runs (npm run test:guard): two services at once, and nothing beside them.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { include: ["test/guard/**/*.test.ts"], pool: "forks", testTimeout: 900_000 },
});
