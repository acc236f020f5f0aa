// The documents: the pages under docs/ and the changelog, as shipped with the program, each at /docs/ and its path.
// Read at the first request, and cached. Links between them and to pictures lead to their addresses here; links to
// other source files are shown as text.

import { readdir, readFile } from "node:fs/promises";
import { join, posix, resolve } from "node:path";
import type { Html } from "../../rules/html.ts";
import { type Heading, renderMarkdown, type Section } from "./markdown.ts";

/** The same in a checkout and in a package: src/ and dist/ have the same folders (packaged.ts). */
const root = resolve(import.meta.dirname, "../../..");

export interface Guide {
  /** From the root: "docs/reference/cli.md". */
  readonly file: string;
  /** "/docs/reference/cli". */
  readonly address: string;
  readonly group: string;
  readonly title: string;
  readonly body: Html;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

/** The start page: docs/README.md. Its group is not listed. */
export const startAddress = "/docs/start";

/** In the order of the list; a document belongs to the first group that matches. */
const groups: readonly (readonly [string, RegExp])[] = [
  ["Start", /^docs\/README\.md$/],
  ["Tutorials", /^docs\/tutorials\//],
  ["How-to guides for customers", /^docs\/how-to\/customers\//],
  ["How-to guides for operators", /^docs\/how-to\/operators\//],
  ["Reference", /^docs\/reference\/(?!api\/)/],
  ["Interfaces", /^docs\/reference\/api\//],
  ["Explanation", /^docs\/explanation\/(?!decisions\/)/],
  ["Decision records", /^docs\/explanation\/decisions\//],
  ["Contributing", /^docs\//],
  ["Changes", /^CHANGELOG\.md$/],
];

/** All documents, in groups. */
export async function readGuides(): Promise<readonly Guide[]> {
  const files = ["CHANGELOG.md", ...(await filesUnder("docs")).filter((file) => file.endsWith(".md"))].sort(byName);
  const known = new Set(files);
  const guides = await Promise.all(
    files.map(async (file) => guideOf(file, await readFile(join(root, file), "utf8"), known)),
  );
  return groups.flatMap(([name]) => guides.filter(({ group }) => group === name));
}

/** The pictures of documents: the file of each by its address, "/docs/pictures/launch.svg". */
export async function readPictures(): Promise<ReadonlyMap<string, string>> {
  const files = await filesUnder("docs/pictures");
  return new Map(files.filter((file) => /\.(svg|webp)$/.test(file)).map((file) => [`/${file}`, join(root, file)]));
}

/** Every file of this folder of the root, with paths from the root. */
async function filesUnder(folder: string): Promise<string[]> {
  const found = await readdir(join(root, folder), { recursive: true });
  return found.map((name) => `${folder}/${name.split(/[\\/]/).join("/")}`);
}

/** A folder's own page, its README, comes first. */
function byName(a: string, b: string): number {
  const key = (file: string) => file.replace(/README\.md$/, "").replace(/\.md$/, "");
  return key(a) < key(b) ? -1 : 1;
}

function guideOf(file: string, text: string, files: ReadonlySet<string>): Guide {
  const group = groups.find(([, pattern]) => pattern.test(file))?.[0];
  if (group === undefined) throw new Error(`BUG: no group of documents has ${file}`);
  const [, title = file] = /^# (.*)$/m.exec(text) ?? [];
  const rendered = renderMarkdown(text.replace(/^# .*\n/m, ""), (target) => linkFrom(file, target, files));
  return { file, address: addressOf(file), group, title, ...rendered };
}

function addressOf(file: string): string {
  if (file === "docs/README.md") return startAddress;
  const name = file.replace(/^docs\//, "").replace(/(\/README)?\.md$/, "");
  return `/docs/${name.toLowerCase()}`;
}

function linkFrom(file: string, target: string, files: ReadonlySet<string>): string | undefined {
  if (/^(https?:|#|\/)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const linked = posix.join(posix.dirname(file), path);
  if (linked.startsWith("docs/pictures/")) return `/${linked}`;
  if (!files.has(linked)) return undefined;
  return `${addressOf(linked)}${anchor === undefined ? "" : `#${anchor}`}`;
}
