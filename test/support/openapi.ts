// Holds real answers against the OpenAPI document of the interface they came from.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { expect } from "vitest";

interface Response {
  readonly content?: Record<string, { readonly schema: object }>;
  readonly headers?: Record<string, object>;
}
export interface OpenApiDocument {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Record<
    string,
    Record<string, { readonly operationId: string; readonly responses: Record<string, Response> }>
  >;
}

/** Thousands of answers are held against one document. */
const alreadyResolved = new WeakMap<OpenApiDocument, OpenApiDocument>();

/** The document with every reference to a named schema or response replaced by what it refers to. */
export function resolved(document: OpenApiDocument): OpenApiDocument {
  const known = alreadyResolved.get(document);
  if (known !== undefined) return known;
  const { components = {} } = document as { components?: Record<string, Record<string, unknown>> };
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const { $ref, ...rest } = value as { $ref?: unknown };
    if (typeof $ref !== "string")
      return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, visit(one)]));
    const [, kind = "", name = ""] = /^#\/components\/(schemas|responses)\/(.+)$/.exec($ref) ?? [];
    const target = components[kind]?.[name];
    if (target === undefined) throw new Error(`the document refers to ${$ref}, which it does not have`);
    return { ...(visit(target) as object), ...rest };
  };
  const whole = { ...document, paths: visit(document.paths) as OpenApiDocument["paths"] };
  alreadyResolved.set(document, whole);
  return whole;
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);

/**
 * Of a schema, by itself and by its text: hundreds of responses have the same one, and every server that a file of tests
 * starts publishes them all again. Compiling each of them was a fifth of the time of the conformance suite.
 */
const validators = new WeakMap<object, ValidateFunction>();
const validatorsByText = new Map<string, ValidateFunction>();

function validatorOf(schema: object): ValidateFunction {
  const known = validators.get(schema);
  if (known !== undefined) return known;
  const text = JSON.stringify(schema);
  const validate = validatorsByText.get(text) ?? ajv.compile(schema);
  validatorsByText.set(text, validate);
  validators.set(schema, validate);
  return validate;
}

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
  const { paths } = resolved(document);
  const operation = paths[templateOf(paths, given) ?? ""]?.[method.toLowerCase()];
  if (operation === undefined) expect.fail(`${name} is not documented`);
  if (method === "GET" && status === 304) {
    // The answer to If-None-Match, which the documents leave to HTTP: generators would make an error of it.
    expect(body, `${name} answers 304 without a body`).toBeUndefined();
    expect(operation.responses["200"]?.headers, `${name} answers 304, and says nothing of an ETag`).toHaveProperty(
      "ETag",
    );
    return;
  }
  const response = operation.responses[String(status)];
  if (response === undefined) expect.fail(`${name} may not answer ${status}, the document says`);
  const schema = response.content?.["application/json"]?.schema;
  if (schema === undefined) {
    expect(body, `${name} answers ${status} without a body`).toBeUndefined();
  } else {
    const validate = validatorOf(schema);
    if (!validate(body)) expect(validate.errors, `${name}, ${status}`).toEqual([]);
  }
}

/** Of the paths that were asked for: thousands of requests have the same few. */
const templates = new WeakMap<OpenApiDocument["paths"], Map<string, string | undefined>>();

/** The documented path that this one is. */
function templateOf(paths: OpenApiDocument["paths"], given: string): string | undefined {
  if (Object.hasOwn(paths, given)) return given;
  const known = templates.get(paths) ?? new Map<string, string | undefined>();
  templates.set(paths, known);
  if (!known.has(given))
    known.set(
      given,
      Object.keys(paths).find((one) => fits(one, given)),
    );
  return known.get(given);
}

/** Whether a documented path, such as `/instances/{uuid}`, is the path of this request. */
function fits(template: string, path: string): boolean {
  const pattern = patterns.get(template) ?? patternOf(template);
  patterns.set(template, pattern);
  return pattern.test(path);
}

const patterns = new Map<string, RegExp>();

function patternOf(template: string): RegExp {
  const parts = template.split("/").map((part) => (/^\{.+\}$/.test(part) ? "[^/]*" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}$`);
}
