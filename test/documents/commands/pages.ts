// The command lines of README.md and of every page under docs/: what stands in blocks marked `sh`, command by command, and
// the answers that stand below them in blocks marked `json`. Invariant: nothing in such a block is left out, but comments.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");

export interface Command {
  readonly page: string;
  readonly line: number;
  /** As it is written, with the comment behind it, on one line or several. */
  readonly text: string;
}

/** What follows on a page: a command, or the answers of those above it, one a line. */
export type Item = Command | { readonly answers: readonly string[]; readonly line: number };

export interface Page {
  readonly name: string;
  readonly items: readonly Item[];
}

/** Every page with at least one command. */
export function pages(): Page[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const names = ["README.md", ...docs.filter((file) => file.endsWith(".md")).map((file) => `docs/${file}`)].sort();
  return names
    .map((name) => ({ name, items: itemsOf(name, readFileSync(join(root, name), "utf8")) }))
    .filter(({ items }) => items.some((item) => "text" in item));
}

/** The blocks of a page in order. An answer counts only where it is right below the commands that it is an answer to. */
export function itemsOf(page: string, markdown: string): Item[] {
  const items: Item[] = [];
  let before: { kind: string; end: number } | undefined;
  for (const found of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [all, kind = "", text = ""] = found;
    const line = markdown.slice(0, found.index).split("\n").length + 1;
    if (kind === "sh") items.push(...commandsIn(text, page, line));
    const below = before?.kind === "sh" && markdown.slice(before.end, found.index).trim() === "";
    if (kind === "json" && below) items.push({ answers: text.trim().split("\n"), line });
    before = { kind, end: found.index + all.length };
  }
  return items;
}

function commandsIn(block: string, page: string, first: number): Command[] {
  const commands: Command[] = [];
  let open: string[] = [];
  block.split("\n").forEach((line, index) => {
    if (open.length === 0 && /^\s*(#|$)/.test(line)) return;
    open.push(line);
    if (!isWhole(open.join("\n"))) return;
    commands.push({ page, line: first + index - open.length + 1, text: open.join("\n") });
    open = [];
  });
  if (open.length > 0)
    throw new Error(`${page}: a command is not whole, or bash does not take it:\n${open.join("\n")}`);
  return commands;
}

/** Whether bash would run it as it is, with something for `<id>`. It only warns of a here-document without its end. */
export function isWhole(text: string): boolean {
  if (/\\$/.test(text)) return false;
  const { status, stderr } = spawnSync("bash", ["-n", "-c", text.replaceAll("<id>", "id")], { encoding: "utf8" });
  return status === 0 && stderr === "";
}
