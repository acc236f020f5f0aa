// Writes src/client/control-api.ts, the types of the control API from its OpenAPI document: `npm run client`.
// test/documents/published.test.ts fails if that file is out of date; client.program.test.ts generates the other
// interfaces' types with this.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { installed } from "../tools/installed.ts";
import { publishedDocument } from "./openapi.ts";

export const typesOfControl = fileURLToPath(new URL("../src/client/control-api.ts", import.meta.url));

const head = `// The control API's paths and shapes: made from its OpenAPI document by \`npm run client\`, never by hand.
// Used by client.ts and by programs that import "lessor/client".

`;

/** TypeScript types of an OpenAPI document: \`paths\`, \`components\` and \`operations\`. */
export async function typesOf(document: string): Promise<string> {
  const { default: openapiTypescript, astToString } = await generator();
  return head + withCommonParts(withoutUnused(astToString(await openapiTypescript(document, { enumValues: false }))));
}

/** The responses that every operation can have, each on its line, and the header that every change can have. */
const always = /^ {12}(?:401|429|500|503): components\["responses"\]\["\w+"\];\n/gm;

/** Writes them once, for the operations of which they are the same: of those of the first one. */
function withCommonParts(types: string): string {
  const alwaysOf = (responses: string) => responses.match(always)?.join("") ?? "";
  const common = alwaysOf(responsesOf.exec(types)?.[0] ?? "");
  const [header = "", text] = keyHeader.exec(types) ?? [];
  const shared = [
    `interface Always {\n${common.replaceAll(/^ {12}/gm, "    ")}}\n`,
    `interface Retried {\n    ${text}\n    "Idempotency-Key"?: string;\n}\n`,
  ];
  const written = types.replaceAll(new RegExp(responsesOf, "gm"), (responses) =>
    alwaysOf(responses) === common
      ? responses.replaceAll(always, "").replace("responses: {", "responses: Always & {")
      : responses,
  );
  if (common === "" || header === "") throw new Error("BUG: operations without errors, or without an Idempotency-Key");
  return [written.replaceAll(header, "header?: Retried;"), ...shared].join("\n");
}

/** Those of one operation. */
const responsesOf = /^ {8}responses: \{\n(?:.*\n)*?^ {8}\};/m;

/** Of every operation that changes something. */
const keyHeader = /header\?: \{\n +(\/\*\* .* \*\/)\n +"Idempotency-Key"\?: string;\n +\};/;

/**
 * What says nothing needs no line, because programs install this: a method, a body or a kind of parameters that there is not,
 * the parameters of all methods of a path, of which there are none, that a success is one, and examples of ids, times and
 * numbers. Nor do the headers of responses: clients have them as those of fetch, which has no types for them;
 * that a comment describes, that a choice of strings is one, and that an id is a UUID.
 */
function withoutUnused(types: string): string {
  return types
    .replaceAll(/^ +(?:get|put|post|delete|options|head|patch|trace|query|header|path|cookie)\?: never;\n/gm, "")
    .replaceAll(/^( +)headers: \{\n(?:.*\n)*?\1\};\n/gm, "")
    .replaceAll(/^ +(?:requestBody\?: never;|\/\*\* @description Success\. \*\/)\n/gm, "")
    .replaceAll(/^ {8}parameters: \{\n {8}\};\n/gm, "")
    .replaceAll(
      /^ +\* @example (?:\d+(?:\.\d+)?|\d{4}-\d{2}-\d{2}T\S+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\n/gm,
      "",
    )
    .replaceAll(/\/\*\*\n +\* (.*)\n +\*\//g, "/** $1 */")
    .replaceAll("/** @description ", "/** ")
    .replaceAll(/^ +\/\*\* (?:@enum \{string\}|Format: uuid) \*\/\n/gm, "");
}

/** What is used of openapi-typescript. */
interface Generator {
  default(document: string, options: { readonly enumValues: boolean }): Promise<unknown>;
  astToString(nodes: unknown): string;
}

/** From npm when first used (tools/), with the TypeScript 5 that it needs. */
async function generator(): Promise<Generator> {
  const folder = await installed("openapi-typescript");
  return import(pathToFileURL(join(folder, "node_modules/openapi-typescript/dist/index.mjs")).href);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(typesOfControl, await typesOf(await publishedDocument("control")));
}
