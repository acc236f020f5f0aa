// What others get: the packed package, installed beside a program that imports "lessor/client". The program is the example of
// docs/interface.md, and more.

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { sceneOfFile, types } from "../conformance/scene.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const scene = sceneOfFile();

/** A folder with the package in its node_modules, as npm would put it there; and the names of the packed files. */
async function installed(): Promise<{ folder: string; files: readonly string[] }> {
  const folder = await temporaryDirectory();
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: root,
    maxBuffer: 2 ** 26,
  });
  // The scripts that npm runs before may print too.
  const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(stdout.slice(stdout.search(/^\[/m)));
  if (packed === undefined) throw new Error("npm packed nothing");
  const place = join(folder, "node_modules/lessor");
  mkdirSync(place, { recursive: true });
  await run("tar", ["-xzf", join(folder, packed.filename), "--strip-components=1", "-C", place]);
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"]) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name));
  }
  return { folder, files: packed.files.map(({ path }) => path) };
}

it("lessor/client compiles and runs in a program of somebody else", { timeout: 120_000 }, async () => {
  const { folder, files } = await installed();
  expect(files).toEqual(expect.arrayContaining(["dist/client/index.js", "dist/client/index.d.ts", "src/main.ts"]));
  expect(files.filter((file) => /\.test\.ts$|^(test|bench|node_modules)\//.test(file))).toEqual([]);

  const page = readFileSync(join(root, "docs/interface.md"), "utf8");
  const example = /```ts\n(import [\s\S]*?"lessor\/client";[\s\S]*?)```/.exec(page)?.[1] ?? "";
  const fitting = example
    .replace(/baseUrl: "[^"]+"/, `baseUrl: "${scene.client.bases.control}"`)
    .replace("gpu_1x_h100_pcie", types.cpu)
    .replace('["laptop"]', "[]");
  const program = `${fitting}
const [one] = launched;
const refused = await given(lessor.GET("/instances/{id}", { params: { path: { id: "x" } } })).catch((error: unknown) => error);
if (!(refused instanceof LessorError)) throw new Error("no LessorError");
console.log(JSON.stringify([one?.status, refused.status, refused.code]));
`;
  writeFileSync(join(folder, "program.ts"), program);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  const strict = { strict: true, target: "es2022", module: "nodenext", types: [], lib: ["es2022", "dom"] };
  const globals = "declare const process: { env: Record<string, string | undefined> };\n";
  writeFileSync(join(folder, "globals.d.ts"), globals);
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: { ...strict, outDir: "out" } }));
  const compiler = [join(root, "node_modules/typescript/bin/tsc"), "-p", folder];
  const { stdout: complaints } = await run(process.execPath, compiler).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(complaints).toBe("");

  const { token } = await scene.customer();
  const env = { PATH: process.env.PATH, LESSOR_TOKEN: token };
  const { stdout } = await run(process.execPath, [join(folder, "out/program.js")], { cwd: folder, env });
  expect(JSON.parse(stdout)).toEqual(["booting", 404, "global/object-does-not-exist"]);
});
