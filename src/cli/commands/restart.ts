// `lessor restart`.

import type { Command } from "commander";
import { instancesOf } from "../instances.ts";
import { examples, type Shell, withJson } from "../shell.ts";
import { carryOut } from "../wishes.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<machine...>", "names, ids, or the beginnings of either")
    .option("--no-wait", "do not wait until they are active")
    .action(async (words: string[], { wait, json }: { wait: boolean; json: boolean }) => {
      const machines = await instancesOf(shell.client(), words);
      await carryOut(shell, machines, { kind: "restart", goal: "active", wait, json });
    });
  examples(command, { "lessor restart training": "starts a stopped machine again" });
}
