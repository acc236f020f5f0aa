// Walks the schema of lessor.yaml along the path of a value. Supports the kinds that schema-parts.ts makes: groups of
// known keys, maps with free keys, lists of one kind of item, and a text or else one of these.
// Used by config/file.ts and config/known-keys.ts.

import type { TSchema } from "typebox";
import type { SettingPath } from "../settings/setting-path.ts";

/** The schema at this key or position; undefined if unknown. */
export function within(schema: TSchema, step: string | number): TSchema | undefined {
  if (typeof step === "number") return itemOf(schema);
  const known = knownKeys(schema);
  return known === undefined ? freeValueOf(schema) : ownSchema(known, step);
}

/** The keys of a group, or of a group among alternatives, with their schemas; undefined for anything else. */
export function knownKeys(schema: TSchema): Readonly<Record<string, unknown>> | undefined {
  if ("properties" in schema && isMap(schema.properties)) return schema.properties;
  if (!("anyOf" in schema && Array.isArray(schema.anyOf))) return undefined;
  // A list at this place in a schema is one of schemas.
  const alternatives: readonly TSchema[] = schema.anyOf;
  return alternatives.map(knownKeys).find((keys) => keys !== undefined);
}

/** The rule for the keys of a map with free keys; undefined for anything else. */
export function keyRule(schema: TSchema): { pattern: string; description: string } | undefined {
  if (!("propertyNames" in schema) || !isMap(schema.propertyNames)) return undefined;
  const { pattern, description } = schema.propertyNames;
  if (typeof pattern === "string" && typeof description === "string") return { pattern, description };
  throw new Error("BUG: a map with free keys in the schema of lessor.yaml has no rule for them");
}

/**
 * The schema at `path`, a JSON pointer, or the last one on the way there that has a description (a limit of a range has
 * none). `known` is the path to it.
 */
export function describedSchema(root: TSchema, path: readonly string[]): { known: SettingPath; schema: TSchema } {
  let schema = root;
  const known: (string | number)[] = [];
  for (const key of path) {
    const step = itemOf(schema) === undefined ? key : Number(key);
    const inner = within(schema, step);
    if (inner === undefined) break;
    schema = inner;
    known.push(step);
  }
  return { known, schema };
}

/** The description of a valid value. */
export function description(schema: TSchema): string {
  if ("description" in schema && typeof schema.description === "string") return schema.description;
  throw new Error("BUG: a value in the schema of lessor.yaml has no description");
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A tuple has several item schemas; it is not searched. */
function itemOf(schema: TSchema): TSchema | undefined {
  return ownSchema(schema, "items");
}

/** TypeBox writes a record as one pattern that every key matches. */
function freeValueOf(schema: TSchema): TSchema | undefined {
  if (!("patternProperties" in schema) || !isMap(schema.patternProperties)) return undefined;
  const [pattern] = Object.keys(schema.patternProperties);
  return pattern === undefined ? undefined : ownSchema(schema.patternProperties, pattern);
}

function ownSchema(parent: object, key: string): TSchema | undefined {
  const inner: unknown = Object.hasOwn(parent, key) ? Reflect.get(parent, key) : undefined;
  // A map where a schema has schemas is a schema.
  return isMap(inner) ? (inner as TSchema) : undefined;
}
