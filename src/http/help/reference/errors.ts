// The errors of a document: each is on its page once, and operations link to it. Taken from the examples of the
// responses (by ../../errors/documentation.ts), which are named after the kinds of error.

import { type Html, html } from "../../../rules/html.ts";
import { codeBlock, describe } from "../markdown.ts";
import {
  type DocumentedOperation,
  type OpenApiDocument,
  operationsOf,
  type Reference,
  type Response,
  resolve,
} from "./document.ts";
import { exampleText } from "./example.ts";

export interface DocumentedError {
  /** Its anchor. */
  readonly id: string;
  readonly status: string;
  readonly code: string;
  readonly meaning: string;
  readonly example: unknown;
}

/** The errors of an operation, in the order of their status. */
export function errorsOf(
  document: OpenApiDocument,
  { responses = {} }: DocumentedOperation,
): readonly DocumentedError[] {
  return Object.entries(responses).flatMap(([status, response]) => errorsIn(document, status, response));
}

/** The ids of the errors of every operation: the page lists them once. */
export function usualErrors(document: OpenApiDocument): ReadonlySet<string> {
  const each = operationsOf(document).map((operation) => new Set(errorsOf(document, operation).map(({ id }) => id)));
  const [first = new Set<string>(), ...others] = each;
  return others.reduce((common, ids) => common.intersection(ids), first);
}

/** A link to each, and to those of every operation. */
export function errorLinks(errors: readonly DocumentedError[]): Html {
  return html`<p class="chips">${errors.map(({ id, status, code }) => html`<a href="#${id}">${status} ${code}</a> `)}<a href="#errors">those of every operation</a></p>`;
}

/** All errors of the document, in full; first those of every operation. */
export function errorList(document: OpenApiDocument, usual: ReadonlySet<string>): Html {
  const all = operationsOf(document).flatMap((operation) => errorsOf(document, operation));
  const byId = [...new Map(all.map((one) => [one.id, one])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  const ofEvery = byId.filter(({ id }) => usual.has(id));
  return html`<p>Every operation can respond with these:</p><p class="chips">${ofEvery.map(({ id, status, code }) => html`<a href="#${id}">${status} ${code}</a> `)}</p>${byId.map(
    ({ id, status, code, meaning, example }) =>
      html`<section class="entry" id="${id}"><h3>${status} <code>${code}</code></h3>${describe(meaning)}${codeBlock(exampleText(example), "json")}</section>`,
  )}`;
}

function errorsIn(document: OpenApiDocument, status: string, given: Response | Reference): DocumentedError[] {
  if (!(Number(status) >= 400)) return [];
  const { description = "", content = {} } = resolve<Response>(document, given);
  const examples = Object.values(content).flatMap((media) => Object.entries(media.examples ?? {}));
  return examples.map(([kind, { value }]) => {
    const code = codeIn(value) ?? kind;
    // The description has a paragraph for each: `code`: what it means.
    const paragraphs = description.split("\n\n");
    const own = paragraphs.find((one) => one.startsWith(`\`${code}\`: `)) ?? description;
    const meaning = own.replace(`\`${code}\`: `, "");
    return { id: `error-${status}-${kind}`, status, code, meaning: capitalized(meaning), example: value };
  });
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

function codeIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || !("error" in value)) return undefined;
  const { error } = value;
  return typeof error === "object" && error !== null && "code" in error ? String(error.code) : undefined;
}
