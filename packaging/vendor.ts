// Builds the packages that the compiled program imports into the package itself: bundled in dist/vendor, with every import
// of the program pointed there. An installed Lessor is then what was tested, not what npm resolves that day, and takes half
// of the space: most files of most packages are never loaded. Invariant: a package is loaded when it was before, since each
// is a file of its own, and what several share is in files beside them. Used by build.ts.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { type OutputChunk, rolldown } from "rolldown";

/** A package's name in an import, as the compiler writes imports: a statement begins a line. */
const imported = /(?<=^(?:import|export) (?:[^;"]* from )?"|\bimport\(")[^."][^"]*(?=")/gm;

/** Bundles what the program in `dist` imports, except the packages that are installed with it, and their licenses. */
export async function bundlePackages(dist: string, installed: ReadonlySet<string>): Promise<void> {
  const vendor = join(dist, "vendor");
  mkdirSync(vendor);
  const entries = new Map<string, string>();
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".js") && !name.startsWith("console/"))) {
    const path = join(dist, file);
    const code = readFileSync(path, "utf8").replaceAll(imported, (specifier) => {
      if (isBuiltin(specifier) || installed.has(specifier)) return specifier;
      const name = fileNameOf(specifier);
      entries.set(specifier, join(vendor, name));
      const way = relative(dirname(path), join(vendor, name));
      return way.startsWith(".") ? way : `./${way}`;
    });
    writeFileSync(path, code);
  }
  // The output replaces these.
  for (const [specifier, path] of entries) writeFileSync(path, await exportsOf(specifier));
  const bundle = await rolldown({
    input: [...entries.values()],
    platform: "node",
    // Half a megabyte for a format of fonts that invoices do not use.
    resolve: { alias: { "brotli/decompress.js": join(import.meta.dirname, "no-brotli.ts") } },
    checks: { eval: false },
    onLog: (_, { message }) => {
      throw new Error(message);
    },
  });
  // Without white space, which is a fifth of it; names stay, for stack traces.
  const minify = { compress: false, mangle: false, codegen: true };
  const { output } = await bundle.write({ dir: vendor, entryFileNames: "[name].js", comments: false, minify });
  writeFileSync(join(vendor, "LICENSES.txt"), licensesOf(output.filter((one) => one.type === "chunk")));
}

function fileNameOf(specifier: string): string {
  return `${specifier.replace(/^@/, "").replace(/\.js$/, "").replaceAll("/", "-")}.js`;
}

/** A module with the exports that Node finds in the package, which for CommonJS no bundler knows better. */
async function exportsOf(specifier: string): Promise<string> {
  const found: object = await import(specifier);
  const names = Object.keys(found).filter((name) => name !== "module.exports");
  return `export { ${names.join(", ")} } from ${JSON.stringify(specifier)};\n`;
}

/** Name, version and license of each package that has code in the bundle. */
function licensesOf(chunks: readonly OutputChunk[]): string {
  const modules = chunks.flatMap((chunk) => chunk.moduleIds);
  const folders = modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []);
  return [...new Set(folders)]
    .sort()
    .map(licenseOf)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function licenseOf(folder: string): string {
  const manifest: { name: string; version: string; license: string } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const texts = readdirSync(folder)
    .filter((name) => /^(licen[cs]e|copying|notice)/i.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8").trim());
  return `${manifest.name} ${manifest.version} (${manifest.license})\n\n${texts.join("\n\n")}\n`;
}
