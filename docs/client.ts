// Writes src/client/control-api.ts, the types of the control API from its OpenAPI document: `npm run client`.
// test/documents/published.test.ts fails if that file is out of date; client.program.test.ts generates the other
// interfaces' types with this.

import { writeFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { publishedDocument } from "./openapi.ts";

export const typesOfControl = fileURLToPath(new URL("../src/client/control-api.ts", import.meta.url));

const head = `// The control API's paths and shapes: made from its OpenAPI document by \`npm run client\`, never by hand.
// Used by client.ts and by programs that import "lessor/client".

`;

/** TypeScript types of an OpenAPI document: \`paths\`, \`components\` and \`operations\`. */
export async function typesOf(document: string): Promise<string> {
  const { default: openapiTypescript, astToString } = await generator();
  return head + astToString(await openapiTypescript(document, { enumValues: false }));
}

/**
 * openapi-typescript needs TypeScript 5's API, which our compiler lacks: while it is loaded, it gets the TypeScript
 * inside of @ts-morph/common.
 */
async function generator(): Promise<typeof import("openapi-typescript")> {
  const around = pathToFileURL(createRequire(import.meta.url).resolve("@ts-morph/common")).href;
  const older = `data:text/javascript,export { ts as default } from "${around}"`;
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === "typescript" ? { url: older, shortCircuit: true } : next(specifier, context),
  });
  try {
    return await import("openapi-typescript");
  } finally {
    hooks.deregister();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(typesOfControl, await typesOf(await publishedDocument("control")));
}
