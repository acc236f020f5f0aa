// The OpenAPI documents before a linter that nobody here wrote: Redocly's, with every rule that it recommends.

import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { publishedDocument } from "../../docs/openapi.ts";
import type { InterfaceName } from "../../src/config/interfaces.ts";
import { variants } from "../../src/http/server.ts";
import { installed } from "../../tools/installed.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const root = resolve(import.meta.dirname, "../..");
const names = Object.keys(variants) as InterfaceName[];

/** What the linter complains about. It asks nothing of the network: neither for a newer version of itself, nor to tell. */
async function lint(document: string): Promise<readonly Problem[]> {
  const file = join(await temporaryDirectory(), "openapi.json");
  await writeFile(file, document);
  const entry = join(await installed("redocly"), "node_modules/@redocly/cli/bin/cli.js");
  const args = [entry, "lint", file, "--config", join(root, "redocly.yaml"), "--format", "json"];
  const env = { PATH: process.env.PATH, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  // It ends with 1 where it has found something, and says on standard output what.
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, env, maxBuffer: 2 ** 26 }).catch(
    (error: unknown) => error as { stdout: string }, // of execFile, which always has it
  );
  const { problems }: { problems: readonly Problem[] } = JSON.parse(stdout);
  return problems;
}

beforeAll(async () => void (await installed("redocly")), 600_000);

interface Problem {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
  readonly location: readonly { readonly pointer: string }[];
}

describe("the OpenAPI document", () => {
  it.each(names)("of %s passes Redocly's linter without an error or a warning", { timeout: 60_000 }, async (name) => {
    const problems = await lint(await publishedDocument(name));
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  it("is held to it: a document with a defect is complained about", { timeout: 60_000 }, async () => {
    const document = JSON.parse(await publishedDocument("reference"));
    document.paths["/instances"].get.operationId = document.paths["/ssh-keys"].get.operationId;
    delete document.info.license;
    const rules = (await lint(JSON.stringify(document))).map(({ ruleId }) => ruleId);
    expect(new Set(rules)).toEqual(new Set(["operation-operationId-unique", "info-license"]));
  });
});
