// A file that is written by hand is short enough to be read at once: the service, its tests, the console, the benchmarks and
// the tools alike (CONTRIBUTING.md).

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const mostLines = 450;
/** Written by a generator (npm run client), as long as its source is. */
const generated = new Set(["src/client/control-api.ts"]);

const files = ["src", "test", "bench", "console", "docs", "packaging", "tools", "examples"].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(tsx?|mjs|js|sh|py)$/.test(file) && !/(^|\/)(node_modules|dist|differences)\//.test(file))
    .map((file) => `${folder}/${file}`),
);

it(`no file of code that is written by hand has more than ${mostLines} lines`, () => {
  const lines = (file: string) => readFileSync(join(root, file), "utf8").trimEnd().split("\n").length;
  expect(files.length).toBeGreaterThan(1000);
  expect(files.filter((file) => !generated.has(file) && lines(file) > mostLines)).toEqual([]);
});
