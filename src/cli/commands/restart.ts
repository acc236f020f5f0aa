// `lessor restart`.

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
    .option("--no-wait", "do not wait until they are active")
    .action(async (words: string[], options: Options) => {
      const instances = await instancesOf(shell.client(), words);
      await carryOut(shell, instances, { kind: "restart", ...options });
    })
    .addHelpText("after", "\nFor a running instance: lessor reboot.");
  examples(command, { "lessor restart training": "start a stopped instance" });
}
