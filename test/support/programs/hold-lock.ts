// Locks the directory given as its argument, says so, and holds it until it is killed.

import { lockDataDirectory } from "../../../src/database/data-directory-lock.ts";

try {
  await lockDataDirectory(process.argv[2] ?? "");
  process.stdout.write("locked\n");
  setInterval(() => {}, 60_000);
} catch (error) {
  process.stdout.write(`${error}\n`);
}
