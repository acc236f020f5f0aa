// Run by npm after each installation (`prepare`): removes the headers that the package `node` brings with its binary, 70 MB
// in 2,000 files, which only native addons are compiled with. There are none. Does nothing where npm ran no install scripts.

import { existsSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

const packages = resolve(import.meta.dirname, "../node_modules/node/node_modules");
for (const name of existsSync(packages) ? readdirSync(packages) : []) {
  if (name.startsWith("node-")) rmSync(join(packages, name, "include"), { recursive: true, force: true });
}
