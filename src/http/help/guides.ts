// The guides: README.md, the pages under docs/ and the changelog, as they come with the program, each at /help/ and its
// name. Read for the first who asks, and kept. Links between them lead to their places here; links to other files of the
// sources are shown as text.

import { readdir, readFile } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import type { Html } from "./html.ts";
import { type Heading, renderMarkdown } from "./markdown.ts";

/** The same in a checkout and in a package: src/ and dist/ have the same folders (packaged.ts). */
const root = resolve(import.meta.dirname, "../../..");

export interface Guide {
  /** From the root: "docs/how-to/operators/rotate-encryption-keys.md". */
  readonly file: string;
  /** "/help/operating/data". */
  readonly address: string;
  readonly group: string;
  readonly title: string;
  readonly body: Html;
  readonly headings: readonly Heading[];
}

/** In the order they are listed. */
const groups: readonly (readonly [string, RegExp])[] = [
  ["Get started", /^(README\.md$|docs\/README\.md$|docs\/tutorials\/)/],
  ["How-to guides for customers", /^docs\/how-to\/customers\//],
  ["How-to guides for operators", /^docs\/how-to\/operators\//],
  ["Interfaces", /^docs\/reference\/api\//],
  ["Reference", /^docs\/reference\//],
  ["Decision records", /^docs\/explanation\/decisions\//],
  ["Explanation", /^docs\/explanation\//],
  ["Contributing", /^docs\/(contributing\/|adding-)/],
  ["Changes", /^CHANGELOG\.md$/],
];

/** All of them, in groups. */
export async function readGuides(): Promise<readonly Guide[]> {
  const found = await readdir(join(root, "docs"), { recursive: true });
  const pages = found.filter((name) => name.endsWith(".md")).map((name) => `docs/${name.split(/[\\/]/).join("/")}`);
  const files = ["README.md", "CHANGELOG.md", ...pages].sort(byName);
  const guides = await Promise.all(
    files.map(async (file) => guideOf(file, await readFile(join(root, file), "utf8"), new Set(files))),
  );
  return groups.flatMap(([name]) => guides.filter(({ group }) => group === name));
}

/** A folder's own page, its README, comes first. */
function byName(a: string, b: string): number {
  const key = (file: string) => file.replace(/README\.md$/, "").replace(/\.md$/, "");
  return key(a) < key(b) ? -1 : 1;
}

function guideOf(file: string, text: string, files: ReadonlySet<string>): Guide {
  const group = groups.find(([, pattern]) => pattern.test(file))?.[0];
  if (group === undefined) throw new Error(`BUG: no group of guides has ${file}`);
  const [, heading = file] = /^# (.*)$/m.exec(text) ?? [];
  const { body, headings } = renderMarkdown(text.replace(/^# .*\n/m, ""), (target) => linkFrom(file, target, files));
  return {
    file,
    address: addressOf(file),
    group,
    title: file === "README.md" ? "Get started" : heading,
    body,
    headings,
  };
}

function addressOf(file: string): string {
  if (file === "README.md") return "/help/start";
  if (file === "docs/README.md") return "/help/documentation";
  if (file === "docs/reference/cli.md") return "/help/cli";
  const name = file.replace(/^docs\//, "").replace(/(\/README)?\.md$/, "");
  return `/help/${name.toLowerCase()}`;
}

function linkFrom(file: string, target: string, files: ReadonlySet<string>): string | undefined {
  if (/^(https?:|#|\/)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const linked = posix.join(posix.dirname(file), path);
  if (!files.has(linked)) return undefined;
  return `${addressOf(linked)}${anchor === undefined ? "" : `#${anchor}`}`;
}
