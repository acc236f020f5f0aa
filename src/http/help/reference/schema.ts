// Schemas as text: a type, its limits, and the tree of its fields. Invariant: a named schema is on the page once, at
// its first operation or else in the list of schemas; elsewhere it is a link that the script expands in place.
// Repeating them would add a third to the page, all loaded before a user can type.

import { type Content, type Html, html, nothing } from "../../../rules/html.ts";
import { describe } from "../markdown.ts";
import { nameOf, type OpenApiDocument, resolve, type Schema } from "./document.ts";

/**
 * The tree of a body: its fields, or its type if it has none. `written` has the named schemas on the page; adds this
 * one.
 */
export function schemaTree(document: OpenApiDocument, schema: Schema, written: Set<string>): Html {
  const name = nameOf(schema);
  const whole = resolve(document, schema);
  if (name === undefined) return html`<p class="type">${typeOf(whole)}${limits(whole)}</p>${fieldsOf(document, whole)}`;
  if (written.has(name)) return elsewhere(name, html`Fields of ${name}`);
  written.add(name);
  return namedSchema(document, name, whole);
}

/** The section of a named schema: the target of links, which the script expands elsewhere. */
export function namedSchema(document: OpenApiDocument, name: string, schema: Schema): Html {
  return html`<div id="schema-${name}"><p class="type"><a href="#schema-${name}">${name}</a>${limits(schema)}</p><div data-fields>${fieldsOf(document, schema)}</div></div>`;
}

/** The fields of an object, of a list's items, or of the alternatives; otherwise nothing. */
export function fieldsOf(document: OpenApiDocument, schema: Schema): Html {
  const { properties, required = [], items, additionalProperties, allOf = [] } = schema;
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(({ type }) => type !== "null");
  const rows: Html[] = [];
  for (const [name, field] of Object.entries(properties ?? {}))
    rows.push(fieldRow(document, html`<code>${name}</code>`, field, required.includes(name)));
  if (typeof additionalProperties === "object")
    rows.push(fieldRow(document, html`<em>any name</em>`, additionalProperties, false));
  const own = rows.length === 0 ? nothing : html`<ul class="fields">${rows}</ul>`;
  const parts = [...allOf, ...(alternatives.length > 0 ? alternatives : []), ...(items === undefined ? [] : [items])];
  return html`${own}${parts.map((part) => nested(document, part))}`;
}

function fieldRow(document: OpenApiDocument, name: Html, field: Schema, isRequired: boolean): Html {
  const { description } = field;
  return html`<li>${name} <span class="type">${typeOf(field)}</span>${isRequired && html` <span class="required">required</span>`}${limits(field)}${describe(description)}${nested(document, field)}</li>`;
}

/** The fields within a field, collapsed. */
function nested(document: OpenApiDocument, schema: Schema): Html {
  const named = namedIn(schema);
  if (named !== undefined) return elsewhere(named, html`Fields`);
  const inner = fieldsOf(document, schema);
  if (inner.text === "") return nothing;
  return html`<details class="nested"><summary>Fields</summary>${inner}</details>`;
}

/** Where a named schema that is on the page is a link, which the script expands. `summary`: not the name where it is beside it. */
const elsewhere = (name: string, summary: Html) =>
  html`<details class="nested" data-schema><summary>${summary}</summary><a href="#schema-${name}">${name}</a></details>`;

/** The named schema that a schema consists of: itself, its list's items, or its only alternative to null. */
function namedIn(schema: Schema): string | undefined {
  const own = nameOf(schema);
  if (own !== undefined) return own;
  if (schema.items !== undefined) return namedIn(schema.items);
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(({ type }) => type !== "null");
  const [only, ...others] = alternatives;
  return only !== undefined && others.length === 0 ? namedIn(only) : undefined;
}

/** Such as "array of strings", "integer or null". */
export function typeOf(schema: Schema): Content {
  const name = nameOf(schema);
  if (name !== undefined) return html`<a href="#schema-${name}">${name}</a>`;
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (alternatives.length > 0) return alternatives.map((one, index) => [index > 0 && " or ", typeOf(one)]);
  if (schema.items !== undefined) return html`array of ${typeOf(schema.items)}${isNullable(schema) && " or null"}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  const types = typeof schema.type === "string" ? [schema.type] : (schema.type ?? []);
  if (types.length === 0) return schema.allOf === undefined ? "any" : "object";
  return `${types.join(" or ")}${schema.format === undefined ? "" : ` (${schema.format})`}`;
}

function isNullable({ type }: Schema): boolean {
  return typeof type === "object" && type.includes("null");
}

/** All other limits that validation enforces, and the default. */
export function limits(schema: Schema): Html {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern } = schema;
  const words: Content[] = [
    range(minimum, maximum, ""),
    exclusiveMinimum !== undefined && `greater than ${exclusiveMinimum}`,
    exclusiveMaximum !== undefined && `less than ${exclusiveMaximum}`,
    range(schema.minLength, schema.maxLength, " characters"),
    range(schema.minItems, schema.maxItems, " items"),
    range(schema.minProperties, schema.maxProperties, " properties"),
    pattern !== undefined && html`pattern <code>${pattern}</code>`,
    schema.default !== undefined && html`default <code>${JSON.stringify(schema.default)}</code>`,
  ].filter((one) => one !== false);
  const values = (schema.enum ?? []).map((one, index) => [index > 0 && ", ", html`<code>${valueText(one)}</code>`]);
  if (values.length > 0) words.push(html`one of ${values}`);
  if (words.length === 0) return nothing;
  return html` <span class="limits">${words.map((word, index) => [index > 0 && "; ", word])}</span>`;
}

const valueText = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));

function range(least: number | undefined, most: number | undefined, unit: string): string | false {
  if (least === undefined && most === undefined) return false;
  if (least === most) return `exactly ${least}${unit}`;
  if (most === undefined) return `at least ${least}${unit}`;
  if (least === undefined || least === 0) return `at most ${most}${unit}`;
  return `${least} to ${most}${unit}`;
}
