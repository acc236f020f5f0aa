// `lessor ssh`: logs in to a machine with the ssh of this computer.
//
// Addresses are given to one machine after the other, so the host key is kept under the machine's id and not its address:
// a new machine at an old address is no alarm, and another machine in the place of this one is.

import { spawn } from "node:child_process";
import type { Command } from "commander";
import { CommandError } from "../command-error.ts";
import { addressOf, type Instance, instanceOf } from "../instances.ts";
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

function argumentsFor(machine: Instance, user: string | undefined): string[] {
  const options = [`HostKeyAlias=lessor-${machine.id}`, "StrictHostKeyChecking=accept-new"];
  return [...options.flatMap((one) => ["-o", one]), `${user ?? machine.login_user}@${addressOf(machine)}`];
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
