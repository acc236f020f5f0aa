// Runs one command line: builds the commander program, loads only the requested command's file, and turns errors into
// an exit code and a message. Used by program.ts, which adds the commands that run without the service.

import { Command, CommanderError, type Option } from "commander";
import { CommandError, usageError } from "./command-error.ts";
import { accountGroup } from "./command-table.ts";
import { type Exit, exitCodes, exitCodesText } from "./exit-codes.ts";
import { plainJson } from "./output/text.ts";
import type { Shell } from "./shell.ts";

/**
 * Runs a command and returns its exit code. Errors are printed on standard error. `args`: without the program's name.
 */
export async function runCommandLine(args: readonly string[], shell: Shell): Promise<number> {
  try {
    const program = await describe({ asked: args, shell });
    await program.parseAsync([...args], { from: "user" });
    return shell.exitCode ?? exitCodes.ok.code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code;
    tell(error, shell, args.includes("--json"));
    return exitCodes[exitOf(error)].code;
  }
}

/** The whole commander program; commands that are not requested have only name and summary. */
export async function describe(of: {
  readonly asked: readonly string[] | "everything";
  readonly shell: Shell;
}): Promise<Command> {
  const { asked, shell } = of;
  const program = new Command("lessor")
    .description("Turns GPU servers into a GPU cloud that rents virtual machines by the hour.")
    .version(shell.version, "-V, --version", "show the version")
    .option("--profile <profile>", "the stored token to use (lessor login --profile); also LESSOR_PROFILE")
    .on("option:profile", (name: string) => {
      shell.env.LESSOR_PROFILE = name;
    })
    .helpOption("-h, --help", "show help for a command")
    .helpCommand(false)
    .configureHelp({ optionDescription })
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: shell.out.write,
      writeErr: shell.err.write,
      getOutHelpWidth: () => shell.out.columns ?? 80,
      getErrHelpWidth: () => shell.err.columns ?? 80,
    })
    .showHelpAfterError("(for details: lessor --help, or --help after a command)")
    .addHelpText("after", footer);
  for (const [name, { group, aliases = [], summary, load }] of Object.entries(shell.commands)) {
    const command = program.command(name).aliases(aliases).description(summary).helpGroup(group);
    if (asked !== "everything" && ![name, ...aliases].some((one) => asked.includes(one))) continue;
    (await load()).define(command, shell);
    withoutHelpCommands(command);
  }
  program
    .command("help")
    .description("show help for a command, or: exit-codes")
    .helpGroup(accountGroup)
    .argument("[topic...]", "a command, or exit-codes")
    .action((topic: string[]) => {
      if (topic[0] === "exit-codes") return shell.out.line(`Exit codes:\n\n${exitCodesText()}`);
      const found = topic.reduce<Command | undefined>((at, word) => subcommand(at, word), program);
      if (found === undefined) throw usageError(`There is no command "${topic.join(" ")}".`, "See lessor --help.");
      found.outputHelp();
    });
  return program;
}

const footer = `
Sign in once with lessor login, or set LESSOR_URL and LESSOR_TOKEN. Use --json in programs.
Exit codes: lessor help exit-codes. All commands with examples: docs/reference/cli.md.`;

/** `lessor help keys` and `lessor keys --help` are enough. */
function withoutHelpCommands(command: Command): void {
  if (command.commands.length > 0) command.helpCommand(false);
  for (const one of command.commands) withoutHelpCommands(one);
}

/** Defaults of flags that are off are not shown. */
function optionDescription({ description, defaultValue }: Option): string {
  const isTold = defaultValue !== undefined && defaultValue !== false;
  return isTold ? `${description} (default: ${defaultValue})` : description;
}

function subcommand(command: Command | undefined, word: string): Command | undefined {
  return command?.commands.find((one) => one.name() === word || one.aliases().includes(word));
}

function exitOf(error: unknown): Exit {
  return error instanceof CommandError ? error.exit : "failed";
}

/** For people: the cause, the fix, and what to quote. For programs: the same as one JSON object. */
function tell(error: unknown, { err }: Shell, json: boolean): void {
  const { message, suggestion, code, requestId } = told(error);
  if (json) {
    const wire = { code: code ?? null, message, suggestion: suggestion ?? null, request_id: requestId ?? null };
    err.line(plainJson(JSON.stringify({ error: wire })));
    return;
  }
  err.line(err.paint("red", message));
  if (suggestion !== undefined && suggestion !== "") err.line(suggestion);
  if (requestId !== undefined) err.line(err.paint("dim", `Request ${requestId}`));
}

type Told = { readonly message: string } & Partial<Pick<CommandError, "suggestion" | "code" | "requestId">>;

/** A message for user errors, a stack trace for bugs. */
function told(error: unknown): Told {
  if (error instanceof CommandError) return error;
  if (error instanceof Error && !error.message.startsWith("BUG")) return { message: error.message };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
