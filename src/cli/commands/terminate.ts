// `lessor terminate`: gives machines back. What is on them is lost, so a person is asked, and a program has to say --yes.

import type { Command } from "commander";
import { confirm } from "../ask.ts";
import { type Instance, instancesOf } from "../instances.ts";
import { plain } from "../output/text.ts";
import { cost } from "../output/units.ts";
import { examples, type Shell, withJson } from "../shell.ts";
import { carryOut } from "../wishes.ts";

interface Options {
  readonly yes: boolean;
  readonly wait: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .argument("<machine...>", "names, ids, or the beginnings of either")
    .option("-y, --yes", "do not ask; needed where there is no terminal", false)
    .option("--wait", "wait until nothing of them is left", false)
    .action(async (words: string[], { yes, wait, json }: Options) => {
      const machines = await instancesOf(shell.client(), words);
      await confirm(shell, { what: questionFor(machines), yes });
      await carryOut(shell, machines, { kind: "terminate", goal: "terminated", wait, json });
    })
    .addHelpText(
      "after",
      "\nBilling ends at once. File systems (lessor fs) stay; everything else on a machine is lost.",
    );
  examples(command, {
    "lessor terminate training": "asks first",
    "lessor terminate training --yes --wait": "for a script",
  });
}

function questionFor(machines: readonly Instance[]): string {
  const lines = machines.map(
    (one) => `  ${plain(one.name)}  ${one.instance_type.name} in ${one.region.name}, ${cost(one.cost_cents)} so far`,
  );
  const what = machines.length === 1 ? "This machine is" : `These ${machines.length} machines are`;
  return `${what} terminated, and what is on its disk is lost:\n${lines.join("\n")}\n`;
}
