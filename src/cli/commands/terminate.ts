// `lessor terminate`. The disks are deleted, so it needs a confirmation or --yes.

import type { Command } from "commander";
import { accountNames } from "../account-tokens.ts";
import { carryOut, withReason } from "../actions.ts";
import { confirm } from "../ask.ts";
import { type Instance, instancesOf } from "../instances.ts";
import { plain } from "../output/text.ts";
import { cost } from "../output/units.ts";
import { examples, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly yes: boolean;
  readonly wait: boolean;
  readonly reason?: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withReason(withJson(command))
    .argument("<instance...>", "names, ids, or the beginnings of either")
    .option("-y, --yes", "skip the confirmation; required without a terminal", false)
    .option("--wait", "wait until they are completely removed", false)
    .action(async (words: string[], { yes, ...options }: Options) => {
      const instances = await instancesOf(shell.client(), words);
      if (!yes) await confirm(shell, { what: questionFor(instances, await accountNames(shell, instances)), yes });
      await carryOut(shell, instances, { kind: "terminate", ...options });
    })
    .addHelpText("after", "\nBilling ends immediately. File systems (lessor fs) stay; all other data on them is lost.");
  examples(command, {
    "lessor terminate training": "asks for confirmation",
    "lessor terminate worker-1 worker-2 --yes --wait": "several, in a script",
    'lessor terminate 0198c5a2 --reason "Abuse report 4711"': "as an operator: an instance of any account",
  });
}

/** `accounts`: account names by id, for operators. */
function questionFor(instances: readonly Instance[], accounts: ReadonlyMap<string, string>): string {
  const lines = instances.map((one) => {
    const owner = accounts.get(one.account_id);
    const whose = owner === undefined ? "" : `, of ${plain(owner)}`;
    return `  ${plain(one.name)}  ${one.instance_type.name} in ${one.region.name}, ${cost(one.cost_cents)} so far${whose}`;
  });
  const what = instances.length === 1 ? "This instance is" : `These ${instances.length} instances are`;
  return `${what} terminated, and what is on ${instances.length === 1 ? "its disk" : "their disks"} is lost:\n${lines.join("\n")}\n`;
}
