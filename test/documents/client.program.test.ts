// Clients that a generator makes of the OpenAPI documents: openapi-typescript, as somebody would run it who has only the
// document. They compile strictly, and rent (rentals/ has the programs) from a service that runs. The types of the client
// that the project publishes are among them.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { typesOf, typesOfControl } from "../../docs/client.ts";
import { publishedDocument } from "../../docs/openapi.ts";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { variants } from "../../src/http/server.ts";
import { sceneOfFile, types } from "../conformance/scene.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { afterFile } from "../support/when-over.ts";
import { examplePublicKey } from "../support/world.ts";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const names = Object.keys(variants) as InterfaceName[];
const scene = sceneOfFile();
const whenOver = afterFile();

/** As strict as a customer's compiler can be. */
const compilerOptions = {
  target: "es2024",
  module: "nodenext",
  types: ["node"],
  strict: true,
  noEmit: true,
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noPropertyAccessFromIndexSignature: true,
  noUnusedLocals: true,
};

/** The programs beside the types of each interface, where the packages of this repository are found. */
let folder = "";
beforeAll(async () => {
  folder = await temporaryDirectory(0o700, whenOver);
  cpSync(join(import.meta.dirname, "rentals"), folder, { recursive: true });
  mkdirSync(join(folder, "types"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }));
  for (const name of names) {
    const document = await fetch(`${scene.client.bases[name]}/openapi.json`);
    writeFileSync(join(folder, `types/${name}.ts`), await typesOf(await document.text()));
  }
}, 120_000);

async function compile(): Promise<string> {
  const args = [join(root, "node_modules/typescript/bin/tsc"), "-p", folder];
  const ended = await run(process.execPath, args).catch((error: unknown) => error as { stdout: string });
  return ended.stdout;
}

describe("a client generated from an OpenAPI document", () => {
  it("compiles, as strictly as can be", { timeout: 60_000 }, async () => {
    expect(await compile()).toBe("");
  });

  it("knows what the document does not allow", { timeout: 60_000 }, async () => {
    const wrong = join(folder, "wrong.ts");
    writeFileSync(
      wrong,
      `import createClient from "openapi-fetch";
       import type { paths } from "./types/marketplace.ts";
       const api = createClient<paths>({});
       await api.POST("/instance-operations/launch", { body: { instance_type_name: "x", region_name: 7 } });
       await api.GET("/no-such-path");`,
    );
    expect((await compile()).match(/^\S*wrong\.ts.*error TS\d+/gm)).toHaveLength(2);
    writeFileSync(wrong, "export {};");
  });

  it.each(names)("of %s runs a whole rental", { timeout: 60_000 }, async (name) => {
    const { token } = await scene.customer();
    const env = {
      PATH: process.env.PATH,
      LESSOR_URL: scene.client.bases[name],
      LESSOR_MARKETPLACE_URL: scene.client.bases.marketplace,
      LESSOR_TOKEN: name === "control" ? scene.operator : token,
      LESSOR_TYPE: types.cpu,
      LESSOR_KEY: examplePublicKey,
    };
    const { stdout } = await run(process.execPath, [join(folder, `${name}.ts`)], { env, timeout: 50_000 });
    expect(stdout).toMatch(/^[0-9a-f-]{36} terminated\n$/);
  });
});

describe("src/client/control-api.ts", () => {
  it("is what the generator makes of the document now (npm run client writes it)", async () => {
    expect((await typesOf(await publishedDocument("control"))) === readFileSync(typesOfControl, "utf8")).toBe(true);
  });
});
