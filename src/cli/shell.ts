// The context of every command: the environment, the three streams, and the service. Created once by program.ts; tests
// create their own and run commands in-process. Kept small: it is loaded before any command.

import { homedir } from "node:os";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { CommandTable } from "./command-table.ts";
import { type ControlClient, clientFromEnvironment } from "./connection/control-client.ts";
import { type Screen, type Stream, screenOf } from "./output/screen.ts";
import { plainJson } from "./output/text.ts";

export interface Shell {
  /** With LESSOR_PROFILE set from `--profile`. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** All commands, for completion. */
  readonly commands: CommandTable;
  readonly input: NodeJS.ReadStream;
  /** For results. */
  readonly out: Screen;
  /** For people: prompts, progress, notices. */
  readonly err: Screen;
  /** The client of the signed-in service. Throws CommandError. */
  client(): ControlClient;
  /** The exit code of a command that succeeds with its own, such as that of ssh. */
  exitCode: number | undefined;
}

/** A command's file defines its arguments, options, examples and action in commander. */
export interface CommandFile {
  define(command: Command, shell: Shell): void;
}

export interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly out: Stream;
  readonly err: Stream;
}

export function shellOf(
  program: Pick<Shell, "env" | "version" | "commands">,
  { input, out, err }: Streams = { input: process.stdin, out: process.stdout, err: process.stderr },
): Shell {
  const { env } = program;
  return {
    ...program,
    input,
    out: screenOf(out, env),
    err: screenOf(err, env),
    client: () => clientFromEnvironment(env),
    exitCode: undefined,
  };
}

/** The directory of a person's own files. */
export function homeOf({ env }: Shell): string {
  return env.HOME || homedir();
}

/** Prints an API response as JSON. Its fields are those of the API's document, and stable (docs/reference/cli.md). */
export function printJson(shell: Shell, data: unknown): void {
  shell.out.line(plainJson(JSON.stringify(data, null, 2)));
}

/** Reads all of standard input. */
export function readInput(shell: Shell): Promise<string> {
  return text(shell.input);
}

/** Whether prompts are possible. */
export function canAsk(shell: Shell): boolean {
  return shell.input.isTTY === true && shell.err.isTerminal;
}

/** Adds examples to a command's help: a shell command, and its purpose. */
export function examples(command: Command, lines: Readonly<Record<string, string>>): void {
  const width = Math.min(56, Math.max(...Object.keys(lines).map((line) => line.length)));
  const shown = Object.entries(lines).map(([line, why]) => `  ${line.padEnd(width)}  # ${why}`);
  command.addHelpText("after", `\nExamples:\n${shown.join("\n")}`);
}

/** The option of every command that prints results. */
export function withJson(command: Command): Command {
  return command.option("--json", "print the API's response as JSON", false);
}

/** For repeatable options. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
