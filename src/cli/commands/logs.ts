// `lessor logs`: an instance's console log: the first thing to check if it does not boot.

import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { isLive } from "../../rules/lifecycle.ts";
import { CommandError } from "../command-error.ts";
import type { Exit } from "../exit-codes.ts";
import { type Instance, instanceOf, readInstance } from "../instances.ts";
import { newPart } from "../log-follower.ts";
import { plainJson, plainLines } from "../output/text.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly follow: boolean;
  readonly raw: boolean;
  readonly json: boolean;
}

const readEveryMs = 2000;
/** Temporary reasons for no log: the host or the service does not respond, or the instance is not running. */
const passing: readonly Exit[] = ["unreachable", "does-not-fit"];

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<instance>", "its name, its id, or the beginning of either")
    .option("-f, --follow", "also show new output, until Ctrl-C or until the instance ends", false)
    .option("--raw", "unfiltered, with terminal control sequences", false)
    .action(async (word: string, options: Options) => {
      const instance = await instanceOf(shell.client(), word);
      await (options.follow ? follow(shell, instance, options) : show(shell, instance, options));
    })
    .addHelpText(
      "after",
      "\nThe log restarts when the instance boots. With --follow, --json prints an object per line.",
    );
  examples(command, {
    "lessor logs training": "find out why it does not boot",
    "lessor logs training --follow": "watch the boot",
    "lessor logs training | tail": "the last lines",
  });
}

async function show(shell: Shell, { id, name }: Instance, { raw, json }: Options): Promise<void> {
  const log = await read(shell, id);
  if (json) return printJson(shell, log);
  if (log.truncated) shell.err.line("Only the last part of the log is available.");
  if (log.text === "") shell.err.line(`${name} has no console output.`);
  else shell.out.write(raw ? log.text : endedByLine(plainLines(log.text)));
}

/** Until the instance has ended. Throws CommandError if the log cannot be read for another reason. */
async function follow(shell: Shell, { id, name }: Instance, { raw, json }: Options): Promise<void> {
  let before = "";
  let isAway = false;
  for (;;) {
    try {
      const { text: now } = await read(shell, id);
      if (isAway) shell.err.line("Retrying.");
      isAway = false;
      const { text, isNewLog } = newPart(before, now);
      if (isNewLog) shell.err.line(`The log of ${name} restarted.`);
      before = now;
      if (text !== "" && json) shell.out.line(plainJson(JSON.stringify({ text })));
      else if (text !== "") shell.out.write(raw ? text : plainLines(text));
    } catch (error) {
      if (!(error instanceof CommandError) || !passing.includes(error.exit)) throw error;
      if (error.exit === "does-not-fit" && (await hasEnded(shell, id))) return shell.err.line(`${name} has ended.`);
      if (!isAway) shell.err.line(`${error.message} Retrying.`);
      isAway = true;
    }
    await sleep(readEveryMs);
  }
}

/** Whether that is the reason that its log could not be read. */
async function hasEnded(shell: Shell, id: string): Promise<boolean> {
  const { status } = await readInstance(shell.client(), id);
  return !isLive[status];
}

async function read(shell: Shell, id: string): Promise<Shape<"ConsoleLog">> {
  const params = { path: { id } };
  return (await shell.client().ask((api) => api.GET("/instances/{id}/console-log", { params }))).data;
}

function endedByLine(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
