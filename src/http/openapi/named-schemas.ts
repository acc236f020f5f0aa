// Names shapes in the published document: an object or an enumeration with a `title` is once under components/schemas,
// and everywhere else a reference to it. Generators create one type for it, and readers see what is equal. It also adds
// what typed languages need and TypeBox leaves out: that an enumeration consists of strings, and the width of a number;
// and it inserts what only the document says (documented.ts). Source: specification, Versioning (variant M's schema
// names carry the suffix V1).

import { type ConfiguredLimits, type Documented, documentedKey } from "./documented.ts";

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type JsonObject = { readonly [key: string]: Json };

/** Literal values that may happen to look like schemas. */
const literals = new Set(["example", "examples", "x-examples", "default", "enum", "const"]);

/**
 * The document with its titled schemas named: title and `suffix`, and with these limits of the service. Throws "BUG: …"
 * if one title names two shapes.
 */
export function nameSchemas<T extends object>(document: T, suffix: string, limits: ConfiguredLimits): T {
  const named = new Map<string, JsonObject>();

  function visit(value: Json): Json {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(
      ([key, inner]) => [key, literals.has(key) ? inner : visit(inner)] as const,
    );
    const schema: JsonObject = typed(said(Object.fromEntries(entries), limits));
    const isShape = schema.type === "object" || schema.enum !== undefined;
    return typeof schema.title === "string" && isShape ? reference(schema.title, schema) : schema;
  }

  function reference(title: string, schema: JsonObject): Json {
    // The title is now the name, and the description at one place is not part of the shape.
    const { title: _, description, ...shape } = schema;
    const name = `${title}${suffix}`;
    const known = named.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(shape)) {
      throw new Error(`BUG: two shapes are called ${name}`);
    }
    named.set(name, shape);
    const $ref = `#/components/schemas/${name}`;
    return description === undefined ? { $ref } : { $ref, description };
  }

  const plain: { paths?: Json; components?: JsonObject } & JsonObject = JSON.parse(JSON.stringify(document));
  const paths = visit(plain.paths ?? {});
  const schemas = Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { ...plain, paths, components: { ...plain.components, schemas } } as object as T; // the same, with references
}

/** With the documented form in place of the validated one. */
function said({ [documentedKey]: says, ...schema }: JsonObject, limits: ConfiguredLimits): JsonObject {
  if (says === undefined) return schema;
  const { anyOf: _, ...rest } = schema;
  const { maximum, ...others } = says as Documented; // created by `documented`
  const most = typeof maximum === "object" ? limits[maximum.configured] : maximum;
  return { ...rest, ...others, ...(most === undefined ? {} : { maximum: most }) };
}

const mostOf32Bits = 2_147_483_647;

function typed(schema: JsonObject): JsonObject {
  if ("format" in schema) return schema;
  // Generators take a number without a format for a 32-bit one, and round larger values.
  if (schema.type === "number") return { ...schema, format: "double" };
  if (schema.type === "integer" && Number(schema.maximum ?? 0) > mostOf32Bits) return { ...schema, format: "int64" };
  if (!Array.isArray(schema.enum) || "type" in schema) return schema;
  return schema.enum.every((one) => typeof one === "string") ? { type: "string", ...schema } : schema;
}
