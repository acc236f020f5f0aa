// `npm run build`: the program and the client as a package has them, in dist/. What src/ has beside TypeScript is read when
// the program runs (migrations, scripts for guests and images), and goes to the same folders. The packages that the program
// imports are built in (vendor.ts). Invariant: dist/console is the console's own build, and stays; everything else is made
// anew, so nothing of an older build gets into a package.

import { execFileSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { minifySync, parseSync, Visitor } from "rolldown/utils";
import { copyFonts } from "./fonts.ts";
import { bundlePackages } from "./vendor.ts";

const root = resolve(import.meta.dirname, "..");
const dist = join(root, "dist");
const { dependencies }: { dependencies: object } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

/** Lines and statements stay, so that a stack trace can be read. */
const onlyPrint = { compress: false, mangle: false, codegen: { removeWhitespace: false } } as const;

/** Variables and imports get short names: a seventh. Functions and classes, which stack traces name, keep theirs. */
const shortNames = { ...onlyPrint, mangle: { keepNames: true } };

for (const name of readdirSync(root).includes("dist") ? readdirSync(dist) : []) {
  if (name !== "console") rmSync(join(dist, name), { recursive: true });
}
compile("tsconfig.program.json");
await bundlePackages(dist, new Set(Object.keys(dependencies)));
copyFonts(join(root, "node_modules"), dist);
printPlainly(dist);
// The client last: it is the one part whose types others read, and the program's build has none.
compile("tsconfig.client.json");
indentByTabs(join(dist, "client"));
for (const file of readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })) {
  if (!file.isFile() || extname(file.name) === ".ts") continue;
  const from = join(file.parentPath, file.name);
  cpSync(from, join(dist, from.slice(join(root, "src").length)));
}

/** A seventh of what the compiler prints is indentation, and a twentieth spaces within lines. Lines stay. */
function printPlainly(folder: string): void {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  for (const name of files.filter((file) => file.endsWith(".js") && !/^(vendor|console)\//.test(file))) {
    const path = join(folder, name);
    const code = printed(name, readFileSync(path, "utf8"), shortNames);
    const plain = withoutSpaces(name, code);
    if (printed(name, plain) !== code) throw new Error(`BUG: ${name} is another program without its spaces`);
    writeFileSync(path, plain);
  }
}

/** What is in literals and templates stays as it is. */
function withoutSpaces(name: string, code: string): string {
  const kept: { start: number; end: number }[] = [];
  const keep = (node: { start: number; end: number }) => void kept.push(node);
  new Visitor({ Literal: keep, TemplateElement: keep }).visit(parseSync(name, code).program);
  let plain = "";
  let at = 0;
  for (const { start, end } of kept.sort((one, other) => one.start - other.start)) {
    plain += closer(code.slice(at, start)) + code.slice(start, end);
    at = end;
  }
  return plain + closer(code.slice(at));
}

function closer(code: string): string {
  return code
    .replaceAll(/^\t+/gm, "")
    .replaceAll(/(?<=([^\n])) (?=([^\n]))/g, (space, before, next) =>
      [/[\w$#]/, /[-+/]/].some((both) => both.test(before) && both.test(next)) ? space : "",
    );
}

function printed(name: string, text: string, how: typeof onlyPrint | typeof shortNames = onlyPrint): string {
  const { code, errors } = minifySync(name, text, how);
  if (errors.length > 0) throw new Error(`BUG: the compiler printed ${name}, which is no JavaScript`);
  return code;
}

/** The types of the interface are nested deeply: a fifth of them is spaces. What has one member takes one line. */
function indentByTabs(folder: string): void {
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".d.ts"))) {
    const path = join(folder, name);
    let text = readFileSync(path, "utf8").replaceAll(/^(?: {4})+/gm, (spaces) => "\t".repeat(spaces.length / 4));
    for (let before = ""; before !== text; ) {
      before = text;
      text = text.replaceAll(/\{\n\t+((?!.*\/[*/]).*;)\n\t+\}/g, "{ $1 }");
    }
    writeFileSync(path, text);
  }
}

function compile(project: string): void {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [compiler, "-p", join(root, project)], { stdio: "inherit" });
}
