// Markdown as HTML: documents (docs/) and the descriptions of operations. Parsed by markdown-it, with HTML in a text
// shown as text. Invariant: output goes through `html`, and links have no scheme that runs code, so nothing in a text
// becomes markup. help.test.ts checks that no Markdown syntax is left in the rendered documents. Used by guides.ts and
// reference/.

import MarkdownIt, { type Token } from "markdown-it";
import { type Html, Html as HtmlValue, html, nothing } from "../../rules/html.ts";

export interface Heading {
  readonly id: string;
  readonly title: string;
  readonly level: number;
}

/** The text under a heading, up to the next one, without markup; for searching. The first has no heading. */
export interface Section {
  readonly heading: Heading | undefined;
  readonly text: string;
}

export interface Rendered {
  readonly body: Html;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** The target of a link or picture; undefined: its text is shown instead. */
export type ResolveLink = (target: string) => string | undefined;

const sameTarget: ResolveLink = (target) => target;
const markdown = new MarkdownIt({ html: false });

/** Renders a whole page. Comments are left out. */
export function renderMarkdown(text: string, resolveLink: ResolveLink = sameTarget): Rendered {
  const tokens = markdown.parse(text.replaceAll(/<!--[\s\S]*?-->\n?/g, ""), {});
  resolveLinks(tokens, resolveLink);
  const headings: Heading[] = [];
  const sections: { heading: Heading | undefined; text: string }[] = [{ heading: undefined, text: "" }];
  const ids = new Set<string>();
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token.type !== "inline" && token.type !== "fence") continue;
    if (before?.type !== "heading_open") {
      const section = sections.at(-1);
      if (section !== undefined) section.text += `${plain(token)} `;
      continue;
    }
    const title = plain(token);
    const heading = { id: uniqueId(title, ids), title, level: Number(before.tag.slice(1)) };
    before.attrSet("id", heading.id);
    headings.push(heading);
    sections.push({ heading, text: "" });
  }
  const body = new HtmlValue(markdown.renderer.render(tokens, markdown.options));
  return { body, headings, sections };
}

/** Renders a description: blocks without linkable headings. */
export function describe(text: string | undefined): Html {
  return text === undefined ? nothing : renderMarkdown(text).body;
}

/** Renders one line: code, emphasis and links. */
export function inline(text: string, resolveLink: ResolveLink = sameTarget): Html {
  const tokens = markdown.parseInline(text, {});
  resolveLinks(tokens, resolveLink);
  return new HtmlValue(markdown.renderer.render(tokens, markdown.options));
}

/** With a container for its copy button, which the script creates. */
export function codeBlock(code: string, language = ""): Html {
  return html`<div class="code"><pre tabindex="0" data-language="${language}"><code>${code}</code></pre></div>`;
}

/** Sets the targets of links and pictures; without a target only the text stays. */
function resolveLinks(tokens: readonly Token[], resolveLink: ResolveLink): void {
  for (const token of tokens) {
    if (token.children === null) continue;
    const isShown: boolean[] = [];
    token.children = token.children.filter((one) => {
      if (one.type === "link_close") return isShown.pop();
      if (one.type !== "link_open" && one.type !== "image") return true;
      const name = one.type === "image" ? "src" : "href";
      const address = resolveLink(String(one.attrGet(name) ?? ""));
      if (one.type === "link_open") isShown.push(address !== undefined);
      if (address !== undefined) one.attrSet(name, address);
      return address !== undefined;
    });
  }
}

/** Without markup. */
function plain({ children, content }: Token): string {
  if (children === null) return content;
  return children.map((one) => (one.type === "softbreak" ? " " : one.content)).join("");
}

/** The ids that GitHub gives headings, so links between documents work in both places. */
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

type Rule = NonNullable<(typeof markdown.renderer.rules)[string]>;

const code: Rule = (tokens, index) => {
  const { content = "", info = "" } = tokens[index] ?? {};
  return codeBlock(content.replace(/\n$/, ""), info.trim().split(/\s/, 1)[0]).text;
};

const rules: Readonly<Record<string, Rule>> = {
  fence: code,
  code_block: code,
  heading_close: (tokens, index, options, _, renderer) => {
    const [title, id] = [tokens[index - 1], tokens[index - 2]?.attrGet("id")];
    const anchor =
      title === undefined || typeof id !== "string"
        ? nothing
        : html` <a class="anchor" href="#${id}" aria-label="Link to ${plain(title)}">#</a>`;
    return anchor.text + renderer.renderToken(tokens, index, options);
  },
  // A table wider than the page scrolls by itself, also by keyboard.
  table_open: () => '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>',
  table_close: () => "</table></div>",
  th_open: () => '<th scope="col">',
  td_open: () => "<td>",
  // A screenshot of the console has a light and a dark version, like the page.
  image: (tokens, index) => {
    const token = tokens[index];
    const [alt, address] = [token?.content ?? "", String(token?.attrGet("src") ?? "")];
    const dark = address.replace(/-light\.webp$/, "-dark.webp");
    if (dark === address) return html`<img src="${address}" alt="${alt}" loading="lazy">`.text;
    return html`<img class="when-light" src="${address}" alt="${alt}" loading="lazy"><img class="when-dark" src="${dark}" alt="${alt}" loading="lazy">`
      .text;
  },
};
Object.assign(markdown.renderer.rules, rules);
