#!/usr/bin/env node
// The program's door. What Node makes of the source text is kept, so that every later start takes a third of a second
// less: beside the packages, or where that place cannot be written (a package that root installed), in the user's own
// cache; where neither can, everything is as it would be without. NODE_COMPILE_CACHE names another place.
// Invariant: this file alone can be loaded by every Node that somebody may have, to say that it is too old.

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
  // Only now, for what is imported above is there before anything runs.
  await import("./program.ts");
}

/** Keeps it in the first of the places that can be written; says nothing where none can. */
function keepCompiled(places: readonly string[]): void {
  const { FAILED } = nodeModule.constants.compileCacheStatus;
  for (const place of places) if (nodeModule.enableCompileCache(place).status !== FAILED) return;
}
