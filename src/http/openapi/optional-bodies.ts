// Bodies that may be absent, in the document: `required: false`. @fastify/swagger says of every body that it is required;
// operation-schema.ts marks those that are not, and the mark goes out of the document again. Used by document.ts.

import { optionalBodyMark } from "./operation-schema.ts";

interface Marked {
  [optionalBodyMark]?: unknown;
  requestBody?: { required?: boolean };
}

/** Changes the document in place. */
export function tellOptionalBodies<T extends { readonly paths?: object }>(document: T): T {
  const operations = Object.values(document.paths ?? {}).flatMap((path: object): Marked[] => Object.values(path));
  for (const operation of operations) {
    if (operation[optionalBodyMark] !== true) continue;
    delete operation[optionalBodyMark];
    if (operation.requestBody === undefined) throw new Error("BUG: an optional body that is not declared");
    operation.requestBody.required = false;
  }
  return document;
}
