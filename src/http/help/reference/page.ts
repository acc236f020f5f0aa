// The page of an OpenAPI document: operations by tag, errors and schemas, each with an anchor, beside a searchable list
// of all operations. Created once and cached by ../kept-page.ts. Used by ../documents.ts.

import { type Html, html } from "../../../rules/html.ts";
import { describe } from "../markdown.ts";
import { type OpenApiDocument, operationsOf, type PlacedOperation, type Response, resolve } from "./document.ts";
import { errorList, usualErrors } from "./errors.ts";
import { type OperationPlace, operationSection } from "./operation.ts";
import { namedSchema } from "./schema.ts";

export interface ReferencePage {
  readonly side: Html;
  readonly content: Html;
}

interface Group {
  readonly tag: string;
  readonly id: string;
  readonly description: string;
  readonly operations: readonly PlacedOperation[];
}

/** `where`: the base URL in prose, and how to get the document itself. */
export function referencePage(about: Omit<OperationPlace, "written" | "usualErrors">, where: Html): ReferencePage {
  const { document, canSend } = about;
  const place: OperationPlace = { ...about, written: new Set(), usualErrors: usualErrors(document) };
  const groups = groupsOf(document);
  const side = html`${groups.map(
    ({ tag, id, operations }) =>
      html`<section data-group><h2><a href="#${id}">${tag}</a></h2><ul>${operations.map(sideLink)}</ul></section>`,
  )}<section><h2>More</h2><ul><li><a href="#errors">Errors</a></li><li><a href="#headers">Response headers</a></li><li><a href="#schemas">Schemas</a></li></ul></section>`;
  const content = html`${describe(document.info.description)}${where}${canSend && tokenField}
${groups.map(
  ({
    tag,
    id,
    description,
    operations,
  }) => html`<section class="tag" id="${id}"><h2>${tag} <a class="anchor" href="#${id}" aria-label="Link to ${tag}">#</a></h2>${describe(description)}
${operations.map((one) => operationSection(place, one))}</section>`,
)}
<section class="tag" id="errors"><h2>Errors</h2>${errorList(document, place.usualErrors)}</section>
<section class="tag" id="headers"><h2>Response headers</h2><ul class="fields">${headersOf(document).map(([name, description]) => html`<li><code>${name}</code>${describe(description)}</li>`)}</ul></section>
<section class="tag" id="schemas"><h2>Schemas</h2>${schemaList(place)}</section>`;
  return { side, content };
}

/** Schemas within an operation are links to it; the others are shown here. */
function schemaList({ document, written }: OperationPlace): Html {
  const schemas = Object.entries(document.components?.schemas ?? {});
  const [above, here] = [schemas.filter(([name]) => written.has(name)), schemas.filter(([name]) => !written.has(name))];
  return html`${above.length > 0 && html`<p class="chips">${above.map(([name]) => html`<a href="#schema-${name}">${name}</a> `)}</p>`}${here.map(
    ([name, schema]) =>
      html`<section class="entry"><h3>${name}</h3>${describe(schema.description)}${namedSchema(document, name, schema)}</section>`,
  )}`;
}

/** The token stays in the field: it is not stored, and the next page does not have it. */
const tokenField = html`<form class="field token"><label for="token">Token for “Try it”</label><input id="token" type="password" autocomplete="off" spellcheck="false" placeholder="lessor_…"><p class="soft">Kept on this page only, until you leave it. Requests take effect: a launch is billed.</p></form>`;

/** In the order of the document's tags; operations without one come last. */
function groupsOf(document: OpenApiDocument): readonly Group[] {
  const operations = operationsOf(document);
  const byTag = Map.groupBy(operations, ({ tags }) => tags?.[0] ?? "Other");
  const described = new Map((document.tags ?? []).map(({ name, description = "" }) => [name, description]));
  const names = [...described.keys(), ...[...byTag.keys()].filter((name) => !described.has(name))];
  return names.flatMap((tag) => {
    const own = byTag.get(tag);
    if (own === undefined) return [];
    const id = `tag-${tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
    return [{ tag, id, description: described.get(tag) ?? "", operations: own }];
  });
}

/** The headers of successes: each is shown once, and operations name them. */
function headersOf(document: OpenApiDocument): readonly (readonly [string, string])[] {
  const responses = operationsOf(document).flatMap((one) => Object.values(one.responses ?? {}));
  const headers = responses.flatMap((one) => Object.entries(resolve<Response>(document, one).headers ?? {}));
  const described = headers.map(([name, one]) => {
    const { description = "" } = resolve<{ readonly description?: string }>(document, one);
    return [name, description] as const;
  });
  return [...new Map(described)].sort(([a], [b]) => (a < b ? -1 : 1));
}

function sideLink({ operationId, method, summary = operationId }: PlacedOperation): Html {
  return html`<li data-entry><a href="#${operationId}"><span class="method" data-method="${method}">${method}</span> ${summary}</a></li>`;
}
