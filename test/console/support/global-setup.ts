// Builds the console once before the tests of it, so that they never look at an old one. LESSOR_TEST_BUILT=1: it is built,
// for who runs one test again and again.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";

export function setup(): void {
  if (process.env.LESSOR_TEST_BUILT === "1") return;
  execFileSync("npm", ["run", "--silent", "build:console"], {
    cwd: resolve(import.meta.dirname, "../../.."),
    stdio: "inherit",
  });
}
