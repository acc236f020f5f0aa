#!/usr/bin/env node
// The program's entry point. Node's compile cache saves a third of a second at every later start: it is beside the
// packages or, if that is not writable (a package that root installed), in the user's own cache; without either,
// nothing is cached. NODE_COMPILE_CACHE sets another place. Invariant: every version of Node can load this file alone,
// so that it can report that Node is too old.

import * as nodeModule from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const oldest = 24;

if (Number.parseInt(process.versions.node, 10) < oldest) {
  process.stderr.write(
    `Lessor requires Node ${oldest} or newer, but this is ${process.versions.node}. Install a newer Node.\n`,
  );
  process.exitCode = 1;
} else {
  keepCompiled([
    fileURLToPath(new URL("../node_modules/.cache/lessor/", import.meta.url)),
    join(homedir(), ".cache/lessor"),
  ]);
  // Imported here, because static imports run before everything else.
  await import("./program.ts");
}

/** Enables the cache in the first writable place; silent if there is none. */
function keepCompiled(places: readonly string[]): void {
  const { FAILED } = nodeModule.constants.compileCacheStatus;
  for (const place of places) if (nodeModule.enableCompileCache(place).status !== FAILED) return;
}
