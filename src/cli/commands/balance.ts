// `lessor balance`: what the account can spend, or owes.

import type { Command } from "commander";
import { accountNamed } from "../account-tokens.ts";
import { printFacts } from "../output/table.ts";
import { cost, moment } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("--account <account>", "for operators: of this account")
    .action(async ({ account, json }: { account?: string; json: boolean }) => {
      const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
      const { data } = await shell
        .client()
        .ask((api) =>
          id === undefined ? api.GET("/balance") : api.GET("/accounts/{id}/balance", { params: { path: { id } } }),
        );
      if (json) return printJson(shell, data);
      printFacts(shell.out, [
        ["Balance", cost(data.balance_cents)],
        ["Not posted", `${cost(data.pending_cents)} of usage, in the balance already`],
        ["As of", `${moment(data.at)} UTC`],
      ]);
    });
  examples(command, {
    "lessor balance": "as of now; below zero: what you owe",
    "lessor balance --account acme": "for operators",
  });
}
