// Markdown as HTML: the part of it that the guides (docs/), README.md and the descriptions of operations use. HTML in a
// text is text. Invariant: everything goes through `html`, so nothing in a text becomes markup. help.test.ts holds that
// every guide is rendered without a trace of its marks. Used by guides.ts and reference/.

import { type Content, Html, html, nothing } from "./html.ts";

export interface Heading {
  readonly id: string;
  readonly title: string;
  readonly level: number;
}

export interface Rendered {
  readonly body: Html;
  readonly headings: readonly Heading[];
}

/** Where a link of the text leads; undefined: it is shown as text. */
export type ResolveLink = (target: string) => string | undefined;

const sameTarget: ResolveLink = (target) => target;

/** A whole page. */
export function renderMarkdown(text: string, resolveLink: ResolveLink = sameTarget): Rendered {
  const headings: Heading[] = [];
  const lines = text.replaceAll(/<!--[\s\S]*?-->\n?/g, "").split("\n");
  return { body: blocks(lines, { resolveLink, headings, ids: new Set() }), headings };
}

/** A description: blocks without headings that could be linked to. */
export function describe(text: string | undefined): Html {
  return text === undefined ? nothing : renderMarkdown(text).body;
}

/** One line: code, emphasis and links. */
export function inline(text: string, resolveLink: ResolveLink = sameTarget): Html {
  const parts: Content[] = [];
  let rest = text;
  while (rest !== "") {
    const found = firstMark(rest);
    if (found === undefined) break;
    const { match, render } = found;
    parts.push(rest.slice(0, match.index), render(match, resolveLink));
    rest = rest.slice(match.index + match[0].length);
  }
  return html`${parts}${rest}`;
}

type Mark = (match: RegExpExecArray, resolveLink: ResolveLink) => Content;

/** In the order of precedence where two begin at the same place. */
const marks: readonly (readonly [RegExp, Mark])[] = [
  [/\\([\\`*_{}[\]()#+.!|<>~-])/, ([, character]) => character],
  [/(`+)(.+?)\1(?!`)/, ([, , code = ""]) => html`<code>${code.replace(/^ (.*) $/, "$1")}</code>`],
  [/\*\*(\S.*?)\*\*/, ([, strong = ""], resolve) => html`<strong>${inline(strong, resolve)}</strong>`],
  [/\*(\S[^*]*?)\*/, ([, emphasis = ""], resolve) => html`<em>${inline(emphasis, resolve)}</em>`],
  [/\[([^\]]+)\]\(([^)\s]+)\)/, ([, label = "", target = ""], resolve) => link(inline(label), target, resolve)],
  [/<(https?:\/\/[^>\s]+)>/, ([, address = ""], resolve) => link(address, address, resolve)],
];

function firstMark(text: string): { match: RegExpExecArray; render: Mark } | undefined {
  let first: { match: RegExpExecArray; render: Mark } | undefined;
  for (const [pattern, render] of marks) {
    const match = pattern.exec(text);
    if (match !== null && (first === undefined || match.index < first.match.index)) first = { match, render };
  }
  return first;
}

/** Never a scheme that runs something. */
function link(label: Content, target: string, resolveLink: ResolveLink): Content {
  const address = resolveLink(target);
  if (address === undefined || /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(address)) return label;
  return html`<a href="${address}">${label}</a>`;
}

interface Context {
  readonly resolveLink: ResolveLink;
  readonly headings: Heading[];
  readonly ids: Set<string>;
}

const fence = /^(```+)\s*([\w-]*)\s*$/;
const item = /^(\s*)(?:[-*]|(\d+)\.)\s+(.*)$/;
const tableRule = /^\|?\s*:?-{3,}:?\s*(\|\s*:?-{3,}:?\s*)*\|?\s*$/;

function blocks(lines: readonly string[], context: Context): Html {
  const out: Html[] = [];
  let at = 0;
  const line = () => lines[at] ?? "";
  while (at < lines.length) {
    const heading = /^(#{1,6})\s+(.*)$/.exec(line());
    const opened = fence.exec(line());
    if (line().trim() === "") at++;
    else if (opened !== null) {
      const [, marks = "", language = ""] = opened;
      const end = lines.findIndex((one, index) => index > at && one.trim() === marks);
      const last = end === -1 ? lines.length : end;
      out.push(codeBlock(lines.slice(at + 1, last).join("\n"), language));
      at = last + 1;
    } else if (heading !== null) {
      out.push(headingOf(heading[1]?.length ?? 1, heading[2] ?? "", context));
      at++;
    } else if (line().startsWith("|") && tableRule.test(lines[at + 1] ?? "")) {
      const end = endOf(lines, at, (one) => one.startsWith("|"));
      out.push(table(lines.slice(at, end), context));
      at = end;
    } else if (item.test(line())) {
      const end = endOfList(lines, at);
      out.push(list(lines.slice(at, end), context));
      at = end;
    } else if (line().startsWith(">")) {
      const end = endOf(lines, at, (one) => one.startsWith(">"));
      const inner = lines.slice(at, end).map((one) => one.replace(/^> ?/, ""));
      out.push(html`<blockquote>${blocks(inner, context)}</blockquote>`);
      at = end;
    } else {
      const end = endOf(lines, at, (one, index) => index === at || !beginsBlock(one));
      const text = lines.slice(at, end).map((one) => one.trim());
      out.push(html`<p>${inline(text.join(" "), context.resolveLink)}</p>`);
      at = end;
    }
  }
  return html`${out}`;
}

const beginsBlock = (line: string) =>
  line.trim() === "" || fence.test(line) || /^#{1,6}\s/.test(line) || /^[|>]/.test(line) || item.test(line);

/** The first line from `at` on that does not belong. */
function endOf(lines: readonly string[], at: number, belongs: (line: string, index: number) => boolean): number {
  const end = lines.findIndex((one, index) => index >= at && !belongs(one, index));
  return end === -1 ? lines.length : end;
}

/** Items, and what stands indented beneath them. */
function endOfList(lines: readonly string[], at: number): number {
  return endOf(lines, at, (one, index) => {
    if (one.trim() === "") return /^(\s+\S|\s*(?:[-*]|\d+\.)\s)/.test(lines[index + 1] ?? "");
    return (
      item.test(one) || /^\s/.test(one) || (index > at && (lines[index - 1] ?? "").trim() !== "" && !beginsBlock(one))
    );
  });
}

function list(lines: readonly string[], context: Context): Html {
  const [, indent = "", number] = item.exec(lines[0] ?? "") ?? [];
  const items: string[][] = [];
  for (const line of lines) {
    const found = item.exec(line);
    if (found !== null && (found[1] ?? "").length <= indent.length) items.push([found[3] ?? ""]);
    // Beneath an item: without the indentation that says so.
    else items.at(-1)?.push(line.replace(/^ {1,4}/, ""));
  }
  const inner = items.map((one) => {
    const isShort = one.every((line, index) => index === 0 || (line.trim() !== "" && !beginsBlock(line)));
    const text = one.map((line) => line.trim()).join(" ");
    return html`<li>${isShort ? inline(text, context.resolveLink) : blocks(one, context)}</li>`;
  });
  if (number === undefined) return html`<ul>${inner}</ul>`;
  return html`<ol start="${number}">${inner}</ol>`;
}

function table([head = "", , ...rows]: readonly string[], { resolveLink }: Context): Html {
  const cells = (row: string) =>
    row
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => inline(cell.trim().replaceAll("\\|", "|"), resolveLink));
  // A table that is wider than the page is scrolled by itself, by keyboard too.
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(head).map((cell) => html`<th scope="col">${cell}</th>`)}</tr></thead><tbody>${rows.map((row) => html`<tr>${cells(row).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`;
}

/** With a place for its copy button, which the script makes. */
export function codeBlock(code: string, language = ""): Html {
  return html`<div class="code"><pre tabindex="0" data-language="${language}"><code>${code}</code></pre></div>`;
}

function headingOf(level: number, text: string, { headings, ids, resolveLink }: Context): Html {
  const title = plain(text);
  const id = uniqueId(title, ids);
  headings.push({ id, title, level });
  const tag = new Html(`h${level}`);
  return html`<${tag} id="${id}">${inline(text, resolveLink)} <a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a></${tag}>`;
}

/** As GitHub names headings, so links between the guides work in both places. */
function uniqueId(title: string, ids: Set<string>): string {
  const slug = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
  let id = slug;
  for (let count = 1; ids.has(id); count++) id = `${slug}-${count}`;
  ids.add(id);
  return id;
}

/** Without marks. */
function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/[`*]|\\(?=\W)/g, "");
}
