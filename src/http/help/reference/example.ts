// Examples: the body of a media type, or one created from its schema, and the request as a curl command.

import type { Media, OpenApiDocument, Parameter, PlacedOperation, Schema } from "./document.ts";
import { resolve } from "./document.ts";

/** Stands for the scheme, host and port of the service; the script replaces it with those of the page. */
export const originPlaceholder = "$LESSOR_URL";

/** The example of the document; without one, the minimal value of its schema. Undefined: none. */
export function exampleOf(document: OpenApiDocument, media: Media | undefined): unknown {
  const [first] = Object.values(media?.examples ?? {});
  if (first !== undefined) return first.value;
  if (media?.example !== undefined) return media.example;
  return media?.schema === undefined ? undefined : madeOf(document, media.schema, 0);
}

/** As shown: JSON with indentation, other media unchanged. */
export function exampleText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/** A value for a parameter in a URL. */
export function parameterExample({ example, schema = {}, name }: Parameter): string {
  const [given] = schema.examples ?? [];
  const value = example ?? given ?? schema.default ?? schema.enum?.[0];
  return value === undefined ? name.toUpperCase() : String(value);
}

/** The request as a shell command, with the required parameters and an example of the body. */
export function curlOf(
  prefix: string,
  { method, path }: Pick<PlacedOperation, "method" | "path">,
  parameters: readonly Parameter[],
  body: unknown,
): string {
  const inPath = (name: string) => parameters.find((one) => one.in === "path" && one.name === name);
  const filled = path.replace(/\{([^}]+)\}/g, (whole, name: string) => {
    const parameter = inPath(name);
    return parameter === undefined ? whole : encodeURIComponent(parameterExample(parameter));
  });
  const query = parameters
    .filter((one) => one.in === "query" && one.required === true)
    .map((one) => `${encodeURIComponent(one.name)}=${encodeURIComponent(parameterExample(one))}`);
  const address = `${originPlaceholder}${prefix}${filled}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  const lines = [
    `curl${method === "GET" ? "" : ` -X ${method}`} "${address}"`,
    '-H "Authorization: Bearer $LESSOR_TOKEN"',
    ...(body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${exampleText(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(" \\\n  ");
}

/** Deep enough for every existing body, and a limit for recursive schemas. */
const deepest = 6;

function madeOf(document: OpenApiDocument, given: Schema, depth: number): unknown {
  const schema = resolve(document, given);
  const [example] = schema.examples ?? [];
  if (example !== undefined) return example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  const [alternative] = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (alternative !== undefined) return madeOf(document, alternative, depth);
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  if (type === "array")
    return depth > deepest || schema.items === undefined ? [] : [madeOf(document, schema.items, depth + 1)];
  if (type === "object" || schema.properties !== undefined) {
    const required = Object.entries(schema.properties ?? {}).filter(
      ([name]) => schema.required?.includes(name) === true,
    );
    const fields = depth > deepest ? [] : required;
    return Object.fromEntries(fields.map(([name, field]) => [name, madeOf(document, field, depth + 1)]));
  }
  if (type === "integer" || type === "number") return schema.minimum ?? 0;
  if (type === "boolean") return false;
  return type === "null" ? null : "string";
}
