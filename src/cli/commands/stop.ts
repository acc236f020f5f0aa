// `lessor stop`.

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
    .option("--no-wait", "do not wait until they are stopped")
    .action(async (words: string[], options: Options) => {
      const instances = await instancesOf(shell.client(), words);
      await carryOut(shell, instances, { kind: "stop", ...options });
    })
    .addHelpText("after", "\nA stopped instance keeps its disk, GPUs and address, and stays billed.");
  examples(command, {
    "lessor stop training": "shut it down",
    "lessor stop worker-1 worker-2 worker-3": "several at once",
    'lessor stop 0198c5a2 --reason "Host maintenance"': "as an operator: an instance of any account",
  });
}
