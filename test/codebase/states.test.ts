// Conditions on the state of an instance come from src/rules/ (lifecycle.ts, goals.ts): a new state is decided there, and
// not in a comparison that nobody finds. Here every quoted word of a state is looked for where it can be a condition.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { states } from "../../src/rules/lifecycle.ts";

const root = resolve(import.meta.dirname, "../..");
const word = `(?:${states.join("|")})`;

/** How a condition names a state. In this codebase single quotes are those of SQL and of prose alone. */
const conditions: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["comparison", new RegExp(`[!=]==?\\s*["'\`]${word}["'\`]|["'\`]${word}["'\`]\\s*[!=]==?`, "g")],
  ["case", new RegExp(`\\bcase\\s+["'\`]${word}["'\`]`, "g")],
  ["list", new RegExp(`\\[[^[\\]{}()]*["'\`]${word}["'\`][^[\\]{}()]*\\]`, "g")],
  ["search", new RegExp(`\\.(?:includes|has|indexOf|startsWith|is)\\(\\s*["'\`]${word}["'\`]`, "g")],
  ["SQL", new RegExp(`'${word}'`, "g")],
];

/** Words that are no state of an instance: by the file and what stands before them in it. Each has its reason. */
const others: readonly (readonly [before: RegExp, reason: string])[] = [
  [/\b(accountStatus|account\.status|a\.status|row\.status) ([!=]==?|=) $/, "the status of an account"],
  [/accounts(-page)?\.tsx?: .*\bstatus === $/s, "the status of an account, in files about accounts alone"],
  [/Type\.Enum\(\[$/, "the values of a field in a document"],
  [/export const statuses = \[$/, "the words of the lambda edition, beside its table of them"],
  [/\baway !== "starting" && away !== $/, "why the whole service is unavailable"],
];

interface Found {
  readonly place: string;
  readonly before: string;
}

/** Where a text names a state in a condition. `file`: for the place. */
function conditionsIn(file: string, text: string): Found[] {
  return conditions.flatMap(([name, pattern]) =>
    [...text.matchAll(pattern)].map((match) => {
      const at = match.index + match[0].search(/["'`]/);
      const line = text.slice(0, at).split("\n").length;
      const before = `${file}: ${text.slice(Math.max(0, at - 80), at)}`;
      return { place: `${file}:${line} ${name} ${match[0]}`, before };
    }),
  );
}

const files = ["src", "console/src"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  // The rules themselves, and what is generated from the API's documents.
  .filter((file) => !file.startsWith("src/rules/") && file !== "src/client/control-api.ts");

describe("the state of an instance", () => {
  const found = files.flatMap((file) => conditionsIn(file, readFileSync(join(root, file), "utf8")));

  it("is named in no condition outside of src/rules/", () => {
    expect(
      found.filter(({ before }) => !others.some(([pattern]) => pattern.test(before))).map(({ place }) => place),
    ).toEqual([]);
  });

  it("is not what the exceptions are about, and each of them is needed", () => {
    const unused = others.filter(([pattern]) => !found.some(({ before }) => pattern.test(before)));
    expect(unused.map(([, reason]) => reason)).toEqual([]);
  });
});

it.each([
  ['if (status === "active") {', 1],
  ['"stopped" !== instance.state', 1],
  ['case "booting":', 1],
  ['const ended = ["terminating", "terminated"];', 1],
  ['ended.has("terminated")', 1],
  ["where state <> 'terminated'", 1],
  ["state in ('booting', 'active')", 2],
  ['booting: "booting",', 0],
  ['waitUntil(shell, "active")', 0],
  ['health === "unreachable"', 0],
])("%s names a state in %i conditions", (text, count) => {
  expect(conditionsIn("file", text)).toHaveLength(count);
});
