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

/** What operations share, by the name under which it is written once: the value of the first that has it. */
const parts: Record<string, RegExp> = {
  Retried: /header\?: (\{\n +\/\*\* .* \*\/\n +"Idempotency-Key"\?: string;\n +\});/,
  Page: /query\?: (\{\n(?: +\/\*\* .*\n +(?:limit|cursor)\?: .*\n){2} +\});/,
  ById: /path: (\{\n +\/\*\* A UUID\. \*\/\n +id: string;\n +\});/,
  ByName: /path: (\{\n +\/\*\* .*\n +name: string;\n +\});/,
};

/**
 * Writes once what operations share. Which errors an operation has is in the document; the types say that all have the same
 * body. Throws where they do not.
 */
function withCommonParts(types: string): string {
  const bodies = new Set([...errorsOf(types).matchAll(/"application\/json": (.*);/g)].map(([, body]) => body));
  const statuses = [...new Set([...types.matchAll(failure)].map(([, status]) => status))].sort();
  const [body, ...more] = [...bodies];
  if (body === undefined || more.length > 0 || statuses.length === 0)
    throw new Error("BUG: operations without errors, or with errors of several shapes");
  let written = types
    .replace(errorsOf(types), "    responses: never;\n")
    .replaceAll(failure, "")
    .replaceAll(/^ {8}responses: \{$/gm, "        responses: Failures & {")
    .replaceAll(json, "$1Json<$2>;");
  const shared = [
    `interface Json<Body> {\n    content: { "application/json": Body };\n}`,
    `interface Failures {\n${statuses.map((status) => `    ${status}: Json<${body}>;\n`).join("")}}`,
  ];
  for (const [name, pattern] of Object.entries(parts)) {
    const [, part] = pattern.exec(written) ?? [];
    if (part === undefined) continue;
    written = written.replaceAll(part, name);
    shared.push(`interface ${name} ${part.replaceAll(/^ {12}/gm, "")}`);
  }
  const pageFields = parts.Page?.exec(types)?.[1]?.split("\n").slice(1, -1).join("\n");
  if (pageFields !== undefined) {
    written = written.replaceAll(queryWithMore, (query, fields: string) =>
      fields.includes(pageFields)
        ? query.replace(`${pageFields}\n`, "").replace("query?: {", "query?: Page & {")
        : query,
    );
  }
  const described = new Set<string>();
  written = written.replaceAll(longComment, (line, comment: string) => {
    if (described.has(comment)) return "";
    described.add(comment);
    return line;
  });
  const all = [written, ...shared, ""].join("\n");
  return `${all.replaceAll('components["schemas"]', "Schemas")}type Schemas = components["schemas"];\n`;
}

/** A comment as long as a paragraph, such as the meanings of a choice: only the first field that has it keeps it, because programs install this. */
const longComment = /^ +(\/\*\* .{120,} \*\/)\n/gm;

/** The query of an operation; "Page" is that of a list without filters. */
const queryWithMore = /^ {12}query\?: \{\n((?:.*\n)*?)^ {12}\};/gm;

/** An error of an operation, by a name of the document. */
const failure = /^ {12}(\d{3}): components\["responses"\]\["\w+"\];\n/gm;

/** A body in JSON, of a response or a request, with what comes before it. */
const json =
  /((?:^ {12}\d{3}|^ {8}requestBody\??): )\{\n +content: \{\n +"application\/json": ([^{}\n]*);\n +\};\n +\};/gm;

/** The named errors of a document. */
const errorsOf = (types: string): string => /^ {4}responses: \{\n(?:.*\n)*?^ {4}\};\n/m.exec(types)?.[0] ?? "";

/**
 * What says nothing needs no line, because programs install this: a method, a body or a kind of parameters that there is not,
 * the parameters of all methods of a path, of which there are none, that a success is one, examples of ids, times and
 * numbers, that a comment describes, that a choice of strings is one, and the formats of ids and times. Nor do the headers of
 * responses: clients have them as those of fetch, which has no types for them.
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
    .replaceAll(/\/\*\*\n +\* (.*)\n +\* @description (.*)\n +\*\//g, "/** $1. $2 */")
    .replaceAll(/\/\*\*\n +\* (.*)\n +\*\//g, "/** $1 */")
    .replaceAll("/** @description ", "/** ")
    .replaceAll(/^ +\/\*\* (?:@enum \{string\}|Format: (?:uuid|date-time)) \*\/\n/gm, "");
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
