// `lessor stop`.

import type { Command } from "commander";
import { instancesOf } from "../instances.ts";
import { examples, type Shell, withJson } from "../shell.ts";
import { carryOut } from "../wishes.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<machine...>", "names, ids, or the beginnings of either")
    .option("--no-wait", "do not wait until they are stopped")
    .action(async (words: string[], { wait, json }: { wait: boolean; json: boolean }) => {
      const machines = await instancesOf(shell.client(), words);
      await carryOut(shell, machines, { kind: "stop", goal: "stopped", wait, json });
    })
    .addHelpText("after", "\nA stopped machine keeps its disk, its GPUs and its address, and is billed as before.");
  examples(command, { "lessor stop training": "shuts it down", "lessor restart training": "and starts it again" });
}
