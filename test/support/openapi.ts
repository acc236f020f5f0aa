// Holds real answers against the OpenAPI document of the interface they came from.

import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";

interface Response {
  readonly content?: Record<string, { readonly schema: object }>;
}
export interface OpenApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<string, Record<string, { readonly responses: Record<string, Response> }>>;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/**
 * The operation is documented, this status is among its responses, and `body` is what its schema says (undefined where
 * it says there is none). `path` is a real one without the prefix, such as `/instances/0198…`.
 */
export function expectDocumented(
  document: OpenApiDocument,
  method: string,
  path: string,
  status: number,
  body: unknown,
): void {
  const name = `${method} ${path}`;
  const given = path.split("?")[0] ?? "";
  const templates = Object.keys(document.paths);
  const template = templates.find((candidate) => candidate === given) ?? templates.find((one) => fits(one, given));
  const operation = document.paths[template ?? ""]?.[method.toLowerCase()];
  if (operation === undefined) expect.fail(`${name} is not documented`);
  const response = operation.responses[String(status)];
  if (response === undefined) expect.fail(`${name} may not answer ${status}, the document says`);
  const schema = response.content?.["application/json"]?.schema;
  if (schema === undefined) {
    expect(body, `${name} answers ${status} without a body`).toBeUndefined();
  } else {
    const validate = ajv.compile(schema);
    expect(validate(body) ? [] : validate.errors, `${name}, ${status}`).toEqual([]);
  }
}

/** Whether a documented path, such as `/instances/{uuid}`, is the path of this request. */
function fits(template: string, path: string): boolean {
  const wanted = template.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, i) => /^\{.+\}$/.test(part) || part === given[i]);
}
