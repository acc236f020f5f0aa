// `lessor account`: the token's account and scopes, and the usage of its quotas.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { addressFrom } from "../connection/connection.ts";
import { printFacts } from "../output/table.ts";
import { cost, duration, money } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command).action(async ({ json }: { json: boolean }) => {
    const { data } = await shell.client().ask((api) => api.GET("/account"));
    if (json) return printJson(shell, data);
    printFacts(shell.out, [["Service", addressFrom(shell.env)], ...accountFacts(data), ...tokenFacts(data)]);
  });
  examples(command, {
    "lessor account": "quotas, limits and the scopes of the token",
    "lessor account --json | jq .used.gpus": "the number of GPUs in use",
  });
}

/** Also for operators, who see those of other accounts. */
export function accountFacts(account: Shape<"Account">): [string, string | null][] {
  const { quotas, used, spend_limit_cents: limit, spent_this_month_cents: spent, max_lifetime_seconds: life } = account;
  const of = (name: keyof typeof used) => `${used[name]} of ${quotas[name]}`;
  return [
    ["Account", `${account.name} (${account.id})`],
    ["Status", account.status],
    ["Instances", of("instances")],
    ["GPUs", of("gpus")],
    ["vCPUs", of("vcpus")],
    ["SSH keys", of("ssh_keys")],
    ["File systems", of("file_systems")],
    ["Spent this month", limit === null ? null : `${cost(spent ?? "0")} of ${money(limit)}`],
    ["Lifetime", life === null ? null : `at most ${duration(life)}`],
  ];
}

function tokenFacts({ token }: Shape<"OwnAccount">): [string, string | null][] {
  return [["Token", `${token.id} (${token.scopes.join(", ")})`]];
}
