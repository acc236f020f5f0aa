// What people are told about commands: each has a summary and examples, docs/reference/cli.md names each, and its table of exit codes
// is the one there is.

import { readFileSync } from "node:fs";
import { type Command, CommanderError } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { clientCommands } from "./command-table.ts";
import { exitCodes, exitOfAnswer } from "./exit-codes.ts";
import { describe as describeProgram } from "./run.ts";
import { shellOf } from "./shell.ts";

const page = readFileSync(new URL("../../docs/reference/cli.md", import.meta.url), "utf8");

/** Every command without commands of its own, with its whole name. */
function leaves(command: Command, path: readonly string[] = []): { name: string; command: Command }[] {
  const here = [...path, command.name()];
  if (command.commands.length === 0) return [{ name: here.join(" "), command }];
  return command.commands.flatMap((one) => leaves(one, here));
}

let all: { name: string; command: Command }[];
beforeAll(async () => {
  const shell = shellOf({ env: {}, version: "0", commands: clientCommands });
  const program = await describeProgram({ asked: "everything", shell });
  all = leaves(program).filter(({ name }) => name !== "lessor help");
});

/** What `--help` shows, with what is behind it. */
function help(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (text) => void parts.push(text) });
  command.outputHelp();
  return parts.join("");
}

describe("every command", () => {
  it("has examples in its help, that are of itself or of what comes next", () => {
    expect(all.length).toBeGreaterThan(50);
    const without = all.filter(({ command }) => !/\nExamples:\n {2}.*lessor/.test(help(command)));
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it("says in one line what it does, and describes every argument and option", () => {
    const undescribed = all.filter(({ command }) => {
      const parts = [...command.registeredArguments, ...command.options];
      return command.description() === "" || parts.some(({ description }) => description === "");
    });
    expect(undescribed.map(({ name }) => name)).toEqual([]);
  });

  it("is named in docs/reference/cli.md", () => {
    expect(all.filter(({ name }) => !page.includes(name)).map(({ name }) => name)).toEqual([]);
  });
});

/** Every way to write each command: its names and aliases at each level, with the whole name it stands for. */
function spellings(command: Command): { words: string[]; name: string }[] {
  return command.commands.flatMap((one) => {
    const below = spellings(one).map(({ words, name }) => ({ words, name: `${one.name()} ${name}` }));
    return [one.name(), ...one.aliases()].flatMap((word) => [
      { words: [word], name: one.name() },
      ...below.map(({ words, name }) => ({ words: [word, ...words], name })),
    ]);
  });
}

/** What the program prints for these words; a command's file is loaded only where it recognizes the command. */
async function printed(words: readonly string[]): Promise<string> {
  const shell = shellOf({ env: {}, version: "0", commands: clientCommands });
  const program = await describeProgram({ asked: words, shell });
  const parts: string[] = [];
  const capture = (command: Command): void => {
    command.exitOverride().configureOutput({ writeOut: (text) => void parts.push(text), writeErr: () => {} });
    command.commands.forEach(capture);
  };
  capture(program);
  await program.parseAsync([...words], { from: "user" }).catch((error: unknown) => {
    if (!(error instanceof CommanderError) || error.code !== "commander.helpDisplayed") throw error;
  });
  return parts.join("");
}

describe("every alias", () => {
  it("that help shows runs its command, at every level", async () => {
    const program = await describeProgram({
      asked: "everything",
      shell: shellOf({ env: {}, version: "0", commands: clientCommands }),
    });
    const all = spellings(program);
    const aliases = all.filter(({ words, name }) => words.join(" ") !== name);
    expect(aliases.map(({ words }) => words.join(" "))).toEqual(expect.arrayContaining(["ls", "whoami", "keys ls"]));
    for (const { words, name } of aliases) {
      const shown = await printed([...words, "--help"]);
      expect(shown, words.join(" ")).toBe(await printed([...name.split(" "), "--help"]));
      // A command that is not loaded has help too, but no options of its own.
      expect(shown, words.join(" ")).toContain("Examples:");
    }
  });
});

describe("exit codes", () => {
  it("are in docs/reference/cli.md as they are", () => {
    for (const { code, meaning } of Object.values(exitCodes)) expect(page).toContain(`| ${code} | ${meaning} |`);
    const codes = Object.values(exitCodes).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
  });

  it.each([
    [404, "global/object-does-not-exist", "not-found"],
    [400, "global/object-does-not-exist", "not-found"],
    [401, "global/invalid-api-key", "not-authorized"],
    [403, "global/forbidden", "not-authorized"],
    [403, "global/quota-exceeded", "does-not-fit"],
    [402, "global/spend-limit-exceeded", "does-not-fit"],
    [409, "global/duplicate", "does-not-fit"],
    [429, "global/rate-limited", "unreachable"],
    [503, "global/unavailable", "unreachable"],
    [400, "global/invalid-parameters", "failed"],
    [500, "global/internal-error", "failed"],
    [524, undefined, "unreachable"],
  ] as const)("an answer of %i (%s) is %s", (status, code, exit) => {
    expect(exitOfAnswer(status, code)).toBe(exit);
  });
});
