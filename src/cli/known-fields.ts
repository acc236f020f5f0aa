// Rejects misspelled fields of a catalog. The interfaces ignore unknown fields, which is right for clients newer than
// the service, and wrong for people who write "descriptio". The known fields come from the service's OpenAPI document,
// which has the schema of each PUT.

import { didYouMean } from "../config/did-you-mean.ts";
import type { CatalogCall } from "./catalog-file.ts";
import { CommandError } from "./command-error.ts";
import { isRecord } from "./record.ts";

type Json = Record<string, unknown>;

/** Throws CommandError for the first field that the body's schema in `document` does not have. */
export function refuseUnknownFields(calls: readonly CatalogCall[], document: Json): void {
  for (const { what, path, body } of calls) {
    const unknown = unknownField(document, bodySchema(document, path), body);
    if (unknown === undefined) continue;
    const { name, known } = unknown;
    const meant = didYouMean(name.split(".").at(-1) ?? name, known);
    const hint = meant === undefined ? `Known fields: ${known.join(", ")}.` : `Did you mean "${meant}"?`;
    throw new CommandError(`${what}: unknown field "${name}". ${hint}`, "Nothing was applied.");
  }
}

/** The schema of the PUT to `/<collection>/<name>`, whatever the document calls the path parameter. */
function bodySchema(document: Json, path: string): unknown {
  const collection = path.split("/")[1];
  const paths = isRecord(document.paths) ? document.paths : {};
  const template = Object.keys(paths).find((one) => /^\/([^/]+)\/\{\w+\}$/.exec(one)?.[1] === collection);
  return at(paths, template ?? "", "put", "requestBody", "content", "application/json", "schema");
}

/** The path of the first unknown field, and the names that are valid there. */
function unknownField(document: Json, schema: unknown, value: unknown): { name: string; known: string[] } | undefined {
  const { properties, items } = dereferenced(document, schema);
  let inside: [name: string, schema: unknown, value: unknown][] = [];
  if (Array.isArray(value)) {
    inside = value.map((one, index) => [`${index}`, items, one]);
  } else if (isRecord(value) && isRecord(properties)) {
    const name = Object.keys(value).find((one) => !Object.hasOwn(properties, one));
    if (name !== undefined) return { name, known: Object.keys(properties) };
    inside = Object.entries(value).map(([name, one]) => [name, properties[name], one]);
  }
  for (const [name, schema, one] of inside) {
    const found = unknownField(document, schema, one);
    if (found !== undefined) return { ...found, name: `${name}.${found.name}` };
  }
  return undefined;
}

/** The schema itself, or the target of a reference (`#/components/schemas/Host`). */
function dereferenced(document: Json, schema: unknown): Json {
  if (!isRecord(schema)) return {};
  if (typeof schema.$ref !== "string") return schema;
  return dereferenced(document, at(document, ...schema.$ref.replace(/^#\//, "").split("/")));
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}
