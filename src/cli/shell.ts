// What every command works with: the environment, the three streams, and the service. Made once by program.ts; tests make
// their own, and run commands without a process. Light on purpose: it is there before a command is.

import { homedir } from "node:os";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import type { CommandTable } from "./command-table.ts";
import { type ControlClient, clientFromEnvironment } from "./connection/control-client.ts";
import { type Screen, type Stream, screenOf } from "./output/screen.ts";
import { plainJson } from "./output/text.ts";

export interface Shell {
  /** With LESSOR_PROFILE as `--profile` has it. */
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** All there are, for completion. */
  readonly commands: CommandTable;
  readonly input: NodeJS.ReadStream;
  /** For what was asked for. */
  readonly out: Screen;
  /** For the person: questions, progress, notices. */
  readonly err: Screen;
  /** The signed-in service. Throws CommandError. */
  client(): ControlClient;
  /** Of a command that ends well with an exit code of its own, such as that of ssh. */
  exitCode: number | undefined;
}

/** A command's file describes it to commander: arguments, options, examples, and what it does. */
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

/** Where a person's own files are. */
export function homeOf({ env }: Shell): string {
  return env.HOME || homedir();
}

/** Prints what the API said as JSON. Its fields are those of the API's document, and stay (docs/reference/cli.md). */
export function printJson(shell: Shell, data: unknown): void {
  shell.out.line(plainJson(JSON.stringify(data, null, 2)));
}

/** All of standard input. */
export function readInput(shell: Shell): Promise<string> {
  return text(shell.input);
}

/** Whether a person can be asked something. */
export function canAsk(shell: Shell): boolean {
  return shell.input.isTTY === true && shell.err.isTerminal;
}

/** Adds the examples at the end of a command's help: a line of the shell, and what it is for. */
export function examples(command: Command, lines: Readonly<Record<string, string>>): void {
  const width = Math.min(56, Math.max(...Object.keys(lines).map((line) => line.length)));
  const shown = Object.entries(lines).map(([line, why]) => `  ${line.padEnd(width)}  # ${why}`);
  command.addHelpText("after", `\nExamples:\n${shown.join("\n")}`);
}

/** The option that every command has that shows something. */
export function withJson(command: Command): Command {
  return command.option("--json", "print the API's response as JSON", false);
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
