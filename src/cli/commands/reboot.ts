// `lessor reboot`.

import type { Command } from "commander";
import { carryOut, withReason } from "../actions.ts";
import { instancesOf } from "../instances.ts";
import { examples, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly wait: boolean;
  readonly reason?: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withReason(withJson(command))
    .argument("<instance...>", "names, ids, or the beginnings of either")
    .option("--no-wait", "do not wait until they are active again")
    .action(async (words: string[], options: Options) => {
      const instances = await instancesOf(shell.client(), words);
      await carryOut(shell, instances, { kind: "reboot", ...options });
    })
    .addHelpText("after", "\nStops an instance and starts it again. It keeps its disk and address; billing continues.");
  examples(command, {
    "lessor reboot training": "an unresponsive instance",
    'lessor reboot 0198c5a2 --reason "New kernel on the host"': "as an operator: an instance of any account",
  });
}
