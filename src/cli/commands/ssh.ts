// `lessor ssh`: logs in to an instance with the local ssh.
//
// Addresses are reused, so the host key is stored under the instance's id and not its address: a new instance at an old
// address raises no warning, and another machine in place of this one does.
//
// Invariant: nothing from the service becomes an option of ssh, or a word of a command that ssh's settings run.

import { spawn } from "node:child_process";
import { isIP } from "node:net";
import type { Command } from "commander";
import { launchGoal } from "../../rules/goals.ts";
import { isBooting } from "../../rules/lifecycle.ts";
import { CommandError, usageError } from "../command-error.ts";
import { addressOf, type Instance, instanceOf } from "../instances.ts";
import { refuseWithoutLogin } from "../launch/login-way.ts";
import { waitUntil } from "../launch/wait.ts";
import { plain } from "../output/text.ts";
import { wholeNumber } from "../output/units.ts";
import { examples, type Shell } from "../shell.ts";
import { shellWord } from "../shell-word.ts";

interface Options {
  readonly user?: string;
  readonly connectTimeout: string;
  readonly print: boolean;
}

export function define(command: Command, shell: Shell): void {
  command
    .argument("<instance>", "its name, its id, or the beginning of either")
    .argument("[arguments...]", "options of ssh, and a command to run there")
    .option("--user <user>", "log in as another user than that of the image")
    .option("--connect-timeout <seconds>", "give up connecting after this many seconds", "15")
    .option("--print", "print the command without running it", false)
    .passThroughOptions()
    .allowUnknownOption()
    .action((word: string, rest: string[], options: Options) => ssh(shell, word, rest, options))
    .addHelpText("after", "\nWaits for an instance that is booting. The exit code is that of ssh.");
  examples(command, {
    "lessor ssh training": "open a shell",
    "lessor ssh training nvidia-smi": "run one command",
    "lessor ssh training -L 8888:localhost:8888": "forward a port",
    "lessor ssh --print training": "print the command for your own program",
  });
}

async function ssh(shell: Shell, word: string, rest: readonly string[], options: Options): Promise<void> {
  const [first = ""] = rest;
  if (/^--./.test(first)) {
    throw usageError(
      `ssh has no option ${plain(first)}.`,
      `Options of lessor come before the instance: lessor ssh ${shellWord(plain(first))} ${shellWord(word)}.`,
    );
  }
  const timeoutSeconds = wholeNumber("--connect-timeout", 1)(options.connectTimeout);
  const found = await instanceOf(shell.client(), word);
  // Before the wait, which changes nothing about it.
  refuseWithoutLogin(found);
  const [instance = found] = isBooting[found.status] ? await waitUntil(shell, [found.id], launchGoal) : [found];
  const command = ["ssh", ...argumentsFor(instance, options.user, timeoutSeconds), ...rest];
  if (options.print) return shell.out.line(command.map(shellWord).join(" "));
  if (instance.login === "password") shell.err.line(`For its password: lessor show ${shellWord(instance.name)}`);
  shell.exitCode = await run(shell, command);
}

/** Throws CommandError for an invalid user, address or id. */
function argumentsFor(instance: Instance, user: string | undefined, timeoutSeconds: number): string[] {
  const address = addressOf(instance);
  if (user?.startsWith("-")) throw usageError(`"${user}" is not a user name: it begins with a hyphen.`);
  if (!isIP(address) || !/^[A-Za-z_][\w.-]*$/.test(instance.login_user) || !/^[\w-]+$/.test(instance.id)) {
    throw new CommandError(
      plain(`The service says to log in to ${instance.login_user}@${address}, which is no user and address.`),
      "ssh was not run. Contact your provider.",
    );
  }
  // Otherwise a host that drops packets would block for minutes.
  const options = [
    `HostKeyAlias=lessor-${instance.id}`,
    "StrictHostKeyChecking=accept-new",
    `ConnectTimeout=${timeoutSeconds}`,
  ];
  return [...options.flatMap((one) => ["-o", one]), `${user ?? instance.login_user}@${address}`];
}

/** Runs ssh on the terminal; returns its exit code. ssh handles the terminal's signals. */
function run({ env }: Shell, [program = "", ...args]: readonly string[]): Promise<number> {
  const ignore = () => {};
  process.on("SIGINT", ignore);
  return new Promise<number>((resolve, reject) => {
    spawn(program, args, { stdio: "inherit", env })
      .on("error", (cause) =>
        reject(new CommandError("Can't run ssh.", "Install an SSH client (openssh-client).", { cause })),
      )
      .on("exit", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  }).finally(() => process.off("SIGINT", ignore));
}
