// The tables of interface.md that are made from the code, and the way into the page. `npm run docs` writes them;
// test/house/documents.test.ts fails when the page is out of date.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { activeNumbers, bootedNumbers, statusWords } from "../src/http/direct/words.ts";
import { errorsAsMarkdown } from "../src/http/errors/documentation.ts";
import * as marketplace from "../src/http/marketplace/words.ts";
import * as reference from "../src/http/reference/words.ts";
import {
  afterFact,
  afterWish,
  bill,
  type Fact,
  facts,
  states,
  type Wish,
  wishes,
} from "../src/rental/instances/lifecycle.ts";

export const page = fileURLToPath(new URL("interface.md", import.meta.url));

const wishNames = Object.keys(wishes) as Wish[];
const factNames = Object.keys(facts) as Fact[];

const tables: Readonly<Record<string, () => string>> = {
  wishes: () =>
    table(
      ["", ...states, "bill"],
      wishNames.map((wish) => [wish, ...states.map((state) => afterWish(state, wish) ?? "refused"), billOf(wish)]),
    ),
  facts: () =>
    table(
      ["", ...states, "bill"],
      factNames.map((fact) => [fact, ...states.map((state) => afterFact(state, fact) ?? ""), billOf(fact)]),
    ),
  words: () =>
    table(
      ["state", "M list, read", "M operations", "R", "D status / active / os_booted"],
      states.map((state) => [
        state,
        marketplace.listWords[state],
        marketplace.operationWords[state],
        reference.words[state],
        `${statusWords[state]} / ${activeNumbers[state]} / ${bootedNumbers[state]}`,
      ]),
    ),
  errors: errorsAsMarkdown,
};

/** The page with its tables as the code is now. Throws when a mark has no table or a table has no mark. */
export function rendered(markdown: string): string {
  const seen = new Set<string>();
  const text = markdown.replaceAll(
    /(<!-- generated: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g,
    (_, open, name: string, close) => {
      const make = tables[name];
      if (make === undefined) throw new Error(`interface.md asks for an unknown table: ${name}`);
      seen.add(name);
      return `${open}\n${make().trim()}\n\n${close}`;
    },
  );
  const missing = Object.keys(tables).filter((name) => !seen.has(name));
  if (missing.length > 0) throw new Error(`interface.md has no place for: ${missing.join(", ")}`);
  return text;
}

function billOf(name: string): string {
  return new Map<string, string>(Object.entries(bill)).get(name) ?? "";
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, rendered(readFileSync(page, "utf8")));
