// Validation of bodies and queries against their TypeBox schemas: a value of the wrong type is rejected, never coerced.
// The messages name field and rule and never repeat a value. Installed as the validator compiler of every interface. A
// query is text, so there a declared integer is first read from strict digits; a body is not converted at all.

import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import type { TLocalizedValidationError } from "typebox/error";
// Not typebox/compile, which loads 150 files more than this needs.
import { Compile, type Validator } from "typebox/schema";
import { type FieldProblem, RentalError } from "../../rental/errors.ts";
import { fieldName } from "../edge/text.ts";

/** The validator of one schema: returns the value, or the error that says what is wrong with it. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  // Compiled at the first request: 200 schemas would add 0.1 s to a start, and most servers use few of them.
  let compiled: Validator | undefined;
  return (given: unknown) => {
    if (httpPart === "querystring") {
      const lists = [...givenAsLists(schema, given)];
      if (lists.length > 0) return { error: refusalFor(lists) };
    }
    const value = httpPart === "querystring" ? readNumbers(schema, given) : given;
    // First, because checking a hundred thousand entries one by one takes long.
    const tooMany = [...excess(schema, value, [])];
    if (tooMany.length > 0) return { error: refusalFor(tooMany) };
    compiled ??= Compile(schema);
    const validator = compiled;
    return validator.Check(value) ? { value } : { error: refusalOf(validator.Errors(value)[1]) };
  };
};

/** Every list and record in the value with more entries than its schema allows, and the message for it. */
function* excess(schema: unknown, value: unknown, path: readonly string[]): Iterable<[field: string, message: string]> {
  if (!isObject(schema) || !isObject(value)) return;
  if (Array.isArray(schema.anyOf)) for (const one of schema.anyOf) yield* excess(one, value, path);
  const [limit, size] = Array.isArray(value)
    ? [schema.maxItems, value.length]
    : [schema.maxProperties, Object.keys(value).length];
  if (typeof limit === "number" && size > limit) {
    yield [fieldName(path), tooManySentence(limit)];
  } else if (Array.isArray(value) && isObject(schema.items)) {
    for (const [index, inner] of value.entries()) yield* excess(schema.items, inner, [...path, String(index)]);
  } else if (isObject(schema.properties)) {
    for (const [name, declared] of Object.entries(schema.properties)) {
      if (Object.hasOwn(value, name)) yield* excess(declared, value[name], [...path, name]);
    }
  }
}

function refusalOf(problems: readonly TLocalizedValidationError[]): RentalError {
  const fields = new Map<string, string>();
  // An unknown property is also a problem of its own, with its path.
  for (const problem of problems.filter((one) => one.keyword !== "additionalProperties" && !isBeside(one, problems))) {
    const path = pathOf(problem.instancePath);
    for (const name of problem.keyword === "required" ? problem.params.requiredProperties : [undefined]) {
      const field = fieldName(name === undefined ? path : [...path, name]);
      if (!fields.has(field)) fields.set(field, sentence(problem));
    }
  }
  return refusalFor(fields);
}

/**
 * Whether it only says that the value is not null, or matches no branch, while another problem is inside the value: then
 * the value is of another branch, and that problem is the one to correct.
 */
function isBeside(
  { keyword, params, instancePath }: TLocalizedValidationError,
  problems: readonly TLocalizedValidationError[],
): boolean {
  const isOfNull = keyword === "anyOf" || (keyword === "type" && "type" in params && params.type === "null");
  if (!isOfNull) return false;
  return problems.some((other) =>
    other.keyword === "required"
      ? `${other.instancePath}/`.startsWith(`${instancePath}/`)
      : other.instancePath.startsWith(`${instancePath}/`),
  );
}

function refusalFor(messages: Iterable<readonly [field: string, message: string]>): RentalError {
  const fields = Array.from(messages, ([field, message]): [string, FieldProblem] => [
    field,
    { code: "global/invalid-parameters", message },
  ]);
  return new RentalError("invalid-parameters", { fields: Object.fromEntries(fields) });
}

/** The field that a JSON pointer points to. */
function pathOf(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function sentence(problem: TLocalizedValidationError): string {
  switch (problem.keyword) {
    case "required":
      return "Is required.";
    case "boolean":
      return "Is not a known parameter.";
    case "type":
      return typeSentence[String(problem.params.type)] ?? `Must be of type ${problem.params.type}.`;
    case "enum":
      return `Must be one of: ${problem.params.allowedValues.join(", ")}.`;
    case "minimum":
      return `Must be at least ${problem.params.limit}.`;
    case "maximum":
      return `Must be at most ${problem.params.limit}.`;
    case "minItems":
      return problem.params.limit === 1 ? "Must not be empty." : `Must have at least ${problem.params.limit} entries.`;
    case "minLength":
      return problem.params.limit === 1
        ? "Must not be empty."
        : `Must have at least ${problem.params.limit} characters.`;
    case "maxLength":
      return `Must have at most ${problem.params.limit} characters.`;
    case "pattern":
      return `Must match ${problem.params.pattern}.`;
    case "format":
      return `Must be a ${problem.params.format}.`;
    default:
      return "Is not valid.";
  }
}

function tooManySentence(limit: number): string {
  return `Must have at most ${limit} entries.`;
}

const typeSentence: Partial<Record<string, string>> = {
  string: "Must be a string.",
  integer: "Must be an integer.",
  number: "Must be a number.",
  boolean: "Must be true or false.",
  array: "Must be a list.",
  object: "Must be a JSON object.",
};

/**
 * Parameters given as lists, several times or in brackets (`status[]`), which no operation takes. In brackets they
 * would be unknown, and if ignored, a filter would not apply.
 */
function* givenAsLists(schema: TSchema, query: unknown): Iterable<[field: string, message: string]> {
  if (!isObject(query) || !("properties" in schema) || !isObject(schema.properties)) return;
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value) && Object.hasOwn(schema.properties, name))
      yield [fieldName([name]), "Must be given once."];
    const [plain = ""] = name.split("[", 1);
    if (plain !== name && Object.hasOwn(schema.properties, plain)) {
      yield [fieldName([name]), `Must be written ${plain}, without brackets, and given once.`];
    }
  }
}

/** Converts what the schema of a query declares as integer or boolean; other text stays, and is rejected later. */
function readNumbers(schema: TSchema, query: unknown): unknown {
  if (!isObject(query) || !("properties" in schema) || !isObject(schema.properties)) return query;
  const read: Record<string, unknown> = { ...query };
  for (const [name, declared] of Object.entries(schema.properties)) {
    const text = query[name];
    if (typeof text !== "string" || !isObject(declared)) continue;
    if (declared.type === "integer" && /^[0-9]{1,15}$/.test(text)) read[name] = Number(text);
    if (declared.type === "boolean" && (text === "true" || text === "false")) read[name] = text === "true";
  }
  return read;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
