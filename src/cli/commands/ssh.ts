// `lessor ssh`: logs in to a machine with the ssh of this computer.
//
// Addresses are given to one machine after the other, so the host key is kept under the machine's id and not its address:
// a new machine at an old address is no alarm, and another machine in the place of this one is.
//
// Invariant: nothing that the service says becomes an option of ssh, or a word of a command that ssh's own settings run.

import { spawn } from "node:child_process";
import { isIP } from "node:net";
import type { Command } from "commander";
import { CommandError, usageError } from "../command-error.ts";
import { addressOf, type Instance, instanceOf } from "../instances.ts";
import { plain } from "../output/text.ts";
import { examples, type Shell } from "../shell.ts";
import { waitUntil } from "../wait.ts";

interface Options {
  readonly user?: string;
  readonly print: boolean;
}

export function define(command: Command, shell: Shell): void {
  command
    .argument("<machine>", "its name, its id, or the beginning of either")
    .argument("[arguments...]", "options of ssh, and a command to run there")
    .option("--user <user>", "log in as somebody else than the image's own user")
    .option("--print", "show the command, and do not run it", false)
    .passThroughOptions()
    .allowUnknownOption()
    .action((word: string, rest: string[], options: Options) => ssh(shell, word, rest, options))
    .addHelpText("after", "\nWaits for a machine that still boots. The exit code is that of ssh.");
  examples(command, {
    "lessor ssh training": "a shell on it",
    "lessor ssh training nvidia-smi": "one command",
    "lessor ssh training -L 8888:localhost:8888": "with a port of it here",
    "lessor ssh --print training": "for a program of your own",
  });
}

async function ssh(shell: Shell, word: string, rest: readonly string[], { user, print }: Options): Promise<void> {
  const found = await instanceOf(shell.client(), word);
  const [machine = found] = found.status === "booting" ? await waitUntil(shell, [found.id], "active") : [found];
  const command = ["ssh", ...argumentsFor(machine, user), ...rest];
  if (print) return shell.out.line(command.map(quoted).join(" "));
  process.exitCode = await run(command);
}

/** Throws CommandError for what is no user, address or id. */
function argumentsFor(machine: Instance, user: string | undefined): string[] {
  const address = addressOf(machine);
  if (user?.startsWith("-")) throw usageError(`"${user}" is no user: it begins as an option does.`);
  if (!isIP(address) || !/^[A-Za-z_][\w.-]*$/.test(machine.login_user) || !/^[\w-]+$/.test(machine.id)) {
    throw new CommandError(
      plain(`The service says to log in to ${machine.login_user}@${address}, which is no user and address.`),
      "Nothing was run. Ask whoever runs the service.",
    );
  }
  const options = [`HostKeyAlias=lessor-${machine.id}`, "StrictHostKeyChecking=accept-new"];
  return [...options.flatMap((one) => ["-o", one]), `${user ?? machine.login_user}@${address}`];
}

/** With the terminal; gives its exit code. Signals of the terminal are ssh's to answer. */
function run([program = "", ...args]: readonly string[]): Promise<number> {
  const ignore = () => {};
  process.on("SIGINT", ignore);
  return new Promise<number>((resolve, reject) => {
    spawn(program, args, { stdio: "inherit" })
      .on("error", (cause) =>
        reject(new CommandError("ssh cannot be run.", "Install an SSH client (openssh-client).", { cause })),
      )
      .on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  }).finally(() => process.off("SIGINT", ignore));
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}
