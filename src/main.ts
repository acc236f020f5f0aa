#!/usr/bin/env node
// The program's door. What Node makes of the source text is kept beside the packages, so that every later start takes a
// third of a second less; where that place cannot be written, everything is as it would be without.

import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/lessor/", import.meta.url)));
// Only now, for what is imported above is there before anything runs.
await import("./program.ts");
