// How the tests in a real terminal run (npm run test:terminal): they need tmux, which is a pseudo-terminal that can be typed
// into and read, and the shells that are completed in: bash, zsh, fish, with nothing else for completion.

import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/terminal/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 1,
    testTimeout: 90_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 40_000, interval: 100 } },
  },
});
