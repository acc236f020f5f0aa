// One operation on the page of its document: its request and responses, a curl command, and a form that sends it.

import { type Html, html, nothing } from "../../../rules/html.ts";
import { codeBlock, describe } from "../markdown.ts";
import {
  type Body,
  type Media,
  type OpenApiDocument,
  type Parameter,
  type PlacedOperation,
  type Response,
  resolve,
} from "./document.ts";
import { errorLinks, errorsOf } from "./errors.ts";
import { curlOf, exampleOf, exampleText, parameterExample } from "./example.ts";
import { limits, schemaTree, typeOf } from "./schema.ts";

export interface OperationPlace {
  readonly document: OpenApiDocument;
  readonly prefix: string;
  /** Whether this page is at the same origin as the interface, so that its script may send requests to it. */
  readonly canSend: boolean;
  /** The named schemas already on the page. */
  readonly written: Set<string>;
  /** The errors of every operation, which the page lists once. */
  readonly usualErrors: ReadonlySet<string>;
}

export function operationSection(place: OperationPlace, operation: PlacedOperation): Html {
  const { document, prefix, canSend, usualErrors } = place;
  const { operationId: id, method, path, summary = id, description } = operation;
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(document, one));
  const body = operation.requestBody === undefined ? undefined : resolve<Body>(document, operation.requestBody);
  const [, media] = Object.entries(body?.content ?? {})[0] ?? [];
  const example = exampleOf(document, media);
  const errors = errorsOf(document, operation).filter(({ id }) => !usualErrors.has(id));
  return html`<article class="operation" id="${id}">
<h3><a class="titled" href="#${id}">${summary}</a></h3>
<p class="line"><span class="method" data-method="${method}">${method}</span> <code>${prefix}${path}</code></p>
${describe(description)}
${parameters.length > 0 && html`<h4>Parameters</h4><ul class="fields">${parameters.map(parameterRow)}</ul>`}
${body !== undefined && media !== undefined && html`<h4>Request body${body.required !== true && " (optional)"}</h4>${bodyParts(place, media, example)}`}
${Object.entries(operation.responses ?? {}).map(([status, one]) => success(place, status, resolve<Response>(document, one)))}
<h4>Errors</h4>${errorLinks(errors)}
<h4>Request with curl</h4>
<div data-origin>${codeBlock(curlOf(prefix, operation, parameters, example), "sh")}</div>
${canSend && tryForm(parameters, media === undefined ? undefined : exampleText(example))}
</article>`;
}

function parameterRow(parameter: Parameter): Html {
  const { name, required, description, schema = {} } = parameter;
  return html`<li><code>${name}</code> <span class="type">${typeOf(schema)} in ${parameter.in}</span>${required === true && html` <span class="required">required</span>`}${limits(schema)}${describe(description)}</li>`;
}

function bodyParts({ document, written }: OperationPlace, media: Media, example: unknown): Html {
  const { schema } = media;
  return html`${schema !== undefined && schemaTree(document, schema, written)}${example !== undefined && html`<details><summary>Example</summary>${codeBlock(exampleText(example), "json")}</details>`}`;
}

/** The successful response; errors are linked. */
function success(place: OperationPlace, status: string, { description, headers, content = {} }: Response): Html {
  if (Number(status) >= 400) return nothing;
  const names = Object.keys(headers ?? {}).join(", ");
  const medias = Object.entries(content);
  return html`<details class="response"${status.startsWith("2") && html` open`}><summary><strong>${status}</strong> ${(description ?? "").replace(/\.$/, "")}</summary>
${medias.map(([type, media]) => html`${type !== "application/json" && html`<p class="type">${type}</p>`}${bodyParts(place, media, type === "application/json" || media.examples !== undefined ? exampleOf(place.document, media) : undefined)}`)}
${names !== "" && html`<p class="soft">Headers: ${names}</p>`}
</details>`;
}

/**
 * Sent by the script, never by the browser: the Content-Security-Policy allows no form action. A template until it is
 * opened, because the forms of all operations would be a quarter of the browser's initial layout.
 */
/** The script reads method and path above it. */
function tryForm(parameters: readonly Parameter[], body: string | undefined): Html {
  const fields = parameters.map(
    (one) => html`<label class="field">${one.name}${one.required === true && " (required)"}${control(one)}</label>`,
  );
  return html`<details class="try"><summary>Try it</summary><template>
<form>
${fields}
${body !== undefined && html`<label class="field">Request body<textarea name="body" rows="${Math.min(16, body.split("\n").length + 1)}" spellcheck="false">${body}</textarea></label>`}
<p><button type="submit" disabled>Send request</button></p>
<div class="answer" role="status" hidden></div>
</form></template></details>`;
}

function control(parameter: Parameter): Html {
  const name = `${parameter.in}:${parameter.name}`;
  const values = parameter.schema?.enum;
  const required = parameter.required === true && html` required`;
  if (values !== undefined)
    return html`<select name="${name}"${required}><option value=""></option>${values.map((value) => html`<option>${String(value)}</option>`)}</select>`;
  const hint = parameterExample(parameter);
  return html`<input name="${name}"${required} placeholder="${hint === parameter.name.toUpperCase() ? "" : hint}" autocomplete="off" spellcheck="false">`;
}
