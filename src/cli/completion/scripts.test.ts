// What bash does with the names it is offered: they come from other people, and are never run.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../test/support/temporary-directory.ts";
import { completionScripts } from "./scripts.ts";

/** What bash offers at `lessor show <Tab>` where the program answers with these candidates. */
async function offered(candidates: readonly string[]) {
  const folder = await temporaryDirectory();
  writeFileSync(join(folder, "script"), completionScripts.bash);
  writeFileSync(join(folder, "candidates"), candidates.map((one) => `${one}\n`).join(""));
  const line = [
    "source ./script",
    "lessor() { cat candidates; }",
    'COMP_WORDS=(lessor show "") COMP_CWORD=2',
    "_lessor",
    // As the line is read when it is entered.
    `for one in "\${COMPREPLY[@]}"; do eval "words=($one)"; printf '%s\\n' "\${words[@]}"; done`,
  ];
  const shown = execFileSync("bash", ["--norc", "-c", line.join("\n")], { cwd: folder, encoding: "utf8" });
  return { words: shown.split("\n").slice(0, -1), isThere: (name: string) => existsSync(join(folder, name)) };
}

describe("completion in bash", () => {
  it("runs no name, when it is offered or when the line is entered", async () => {
    const names = ["$(touch one)", "`touch two`", "a; touch three", "b & touch four", "$HOME", "*"];
    const { words, isThere } = await offered(names);
    expect(words).toEqual(names);
    expect(["one", "two", "three", "four"].filter(isThere)).toEqual([]);
  });

  it("keeps a name with spaces or quotes one word, and offers nothing where there is nothing", async () => {
    expect((await offered(["my key", "it's", 'a "b"'])).words).toEqual(["my key", "it's", 'a "b"']);
    expect((await offered([])).words).toEqual([]);
  });
});
