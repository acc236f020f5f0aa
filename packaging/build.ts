// `npm run build`: the program and the client as a package has them, in dist/. What src/ has beside TypeScript is read when
// the program runs (migrations, scripts for guests and images), and goes to the same folders. The packages that the program
// imports are built in (vendor.ts). Invariant: dist/console is the console's own build, and stays; everything else is made
// anew, so nothing of an older build gets into a package.

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { bundlePackages } from "./vendor.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const { dependencies }: { dependencies: object } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

for (const name of readdirSync(root).includes("dist") ? readdirSync(dist) : []) {
  if (name !== "console") rmSync(join(dist, name), { recursive: true });
}
compile("tsconfig.program.json");
await bundlePackages(dist, new Set(Object.keys(dependencies)));
// The client last: it is the one part whose types others read, and the program's build has none.
compile("tsconfig.client.json");
indentByTabs(join(dist, "client"));
for (const file of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
  if (!file.isFile() || extname(file.name) === ".ts") continue;
  const from = join(file.parentPath, file.name);
  cpSync(from, join(dist, from.slice(join(root, "src").length)));
}

/** The types of the interface are nested deeply: a fifth of them is spaces. */
function indentByTabs(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".d.ts"))) {
    const path = join(folder, name);
    const text = readFileSync(path, "utf8");
    writeFileSync(
      path,
      text.replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4)),
    );
  }
}

function compile(project: string): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, project)], { stdio: "inherit" });
}
