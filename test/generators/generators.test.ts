// Clients that four public generators make of variant D's document, as somebody would who has only the document: each
// compiles strictly, and rents from a service that runs, reading the password as the integer that it is.

import { execFile } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { installed } from "../../tools/installed.ts";
import { sceneOfFile, types } from "../conformance/scene.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);

/** How each is run: its program, and its arguments for a document and a folder. */
const generators = {
  "hey-api": {
    program: "@hey-api/openapi-ts/bin/run.js",
    args: (from: string, to: string) => ["-i", from, "-o", to, "-c", "@hey-api/client-fetch"],
  },
  orval: {
    program: "orval/dist/bin/orval.mjs",
    args: (_: string, to: string) => ["--config", join(to, "../../orval.config.cjs")],
  },
  "swagger-typescript-api": {
    program: "swagger-typescript-api/dist/cli.mjs",
    args: (from: string, to: string) => ["generate", "-p", from, "-o", to, "-n", "client.ts"],
  },
  "openapi-typescript-codegen": {
    program: "openapi-typescript-codegen/bin/index.js",
    args: (from: string, to: string) => ["-i", from, "-o", to, "-c", "fetch"],
  },
} as const;
const names = Object.keys(generators) as (keyof typeof generators)[];

const compilerOptions = {
  target: "es2022",
  module: "commonjs",
  moduleResolution: "bundler",
  lib: ["es2023", "dom", "dom.iterable"],
  types: ["node"],
  typeRoots: [join(root, "node_modules/@types")],
  strict: true,
  noEmitOnError: true,
  rootDir: ".",
  outDir: "compiled",
};

const scene = sceneOfFile();
const whenOver = afterFile();
let folder = "";

beforeAll(async () => {
  // The compiler among them is one that they need, and not the one that compiles what they make.
  const from = await installed("generators");
  folder = await temporaryDirectory(0o700, whenOver);
  cpSync(join(import.meta.dirname, "rentals"), join(folder, "rentals"), { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "commonjs" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["rentals", "generated"] }));
  const base = scene.client.bases.direct;
  const document = await (await fetch(`${base}/openapi.json`)).json();
  writeFileSync(join(folder, "direct.json"), JSON.stringify(document));
  // Its clients know where the service is from when they are made, and only a file can say so.
  const output = { target: join(folder, "generated/orval/client.ts"), client: "fetch", baseUrl: base };
  const orval = { direct: { input: join(folder, "direct.json"), output } };
  writeFileSync(join(folder, "orval.config.cjs"), `module.exports = ${JSON.stringify(orval)};`);
  await Promise.all(
    names.map(async (name) => {
      const { program, args } = generators[name];
      const given = args(join(folder, "direct.json"), join(folder, "generated", name));
      await run(process.execPath, [join(from, "node_modules", program), ...given], { cwd: from });
    }),
  );
});

describe("clients made of variant D's document", () => {
  it("compile strictly", async () => {
    const args = [join(root, "node_modules/typescript/bin/tsc"), "-p", folder];
    const ended = await run(process.execPath, args).catch((error: unknown) => error as { stdout: string });
    expect(ended.stdout).toBe("");
  });

  it.each(names)("rent with the one of %s", async (name) => {
    const { token } = await scene.customer();
    const env = {
      PATH: process.env.PATH,
      LESSOR_URL: scene.client.bases.direct,
      LESSOR_TOKEN: token,
      LESSOR_TYPE: types.cpu,
    };
    const { stdout } = await run(process.execPath, [join(folder, "compiled/rentals", `${name}.js`)], { env });
    const { uuid, password } = JSON.parse(stdout);
    // Variant D says "terminated" from the request on.
    await scene.reached(uuid, "terminated");
    expect(Number.isSafeInteger(password) && String(password).length === 15, String(password)).toBe(true);
  });
});
