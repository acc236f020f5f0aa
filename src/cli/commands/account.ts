// `lessor account`, `lessor whoami`: the account (team), the person and role, the token's scopes, the usage of quotas,
// and where the emails of the account go.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { usageError } from "../command-error.ts";
import { addressFrom } from "../connection/connection.ts";
import { type EmailOptions, emailChange, withEmailOptions } from "../email-options.ts";
import { printFacts } from "../output/table.ts";
import { ago, cost, duration, money } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";
import { paymentOf } from "./balance.ts";

export function define(command: Command, shell: Shell): void {
  withJson(command).action(async ({ json }: { json: boolean }) => {
    const { data } = await shell.client().ask((api) => api.GET("/account"));
    if (json) return printJson(shell, data);
    const expires: [string, string | null] = ["Expires", await expiryOf(shell, data.token.id)];
    printFacts(shell.out, [["Service", addressFrom(shell.env)], ...accountFacts(data), ...tokenFacts(data), expires]);
  });
  const change = withEmailOptions(
    withJson(command.command("change").description("change where emails go, and which")),
  ).action(async ({ json, ...options }: EmailOptions & { json: boolean }) => {
    const client = shell.client();
    const before = await client.ask((api) => api.GET("/account"));
    const body = emailChange(options, before.data.disabled_emails);
    if (Object.keys(body).length === 0)
      throw usageError("Specify what to change.", "See lessor account change --help.");
    const { data } = await client.ask((api) => api.PATCH("/account", { body }));
    if (json) return printJson(shell, data);
    printFacts(shell.out, emailFacts(data));
  });
  examples(change, {
    "lessor account change --contact-email ops@acme.example": "be told by email of what ends or is planned",
    "lessor account change --disable-email maintenance": "but not of maintenance",
  });
  examples(command, {
    "lessor account": "quotas, limits and the scopes of the token",
    "lessor account --json | jq .used.gpus": "the number of GPUs in use",
  });
}

/** When the token expires; null: it does not, or may not read that. */
async function expiryOf(shell: Shell, id: string): Promise<string | null> {
  const tokens = await shell
    .client()
    .ask((api) => api.GET("/tokens", { params: { query: {} } }))
    .catch(() => undefined);
  const expires = tokens?.data.find((one) => one.id === id)?.expires_at;
  return expires ? `${expires} (${ago(expires)})` : null;
}

/** Also for operators, who see those of other accounts. */
export function accountFacts(account: Shape<"Account">): [string, string | null][] {
  const { quotas, used, spend_limit_cents: limit, spent_this_month_cents: spent, max_lifetime_seconds: life } = account;
  const of = (name: keyof typeof used) => `${used[name]} of ${quotas[name]}`;
  return [
    ["Account", `${account.name} (${account.id})`],
    ["Status", account.status],
    ["On hold since", account.held_since],
    ["Instances", of("instances")],
    ["GPUs", of("gpus")],
    ["vCPUs", of("vcpus")],
    ["SSH keys", of("ssh_keys")],
    ["File systems", of("file_systems")],
    ["Spent this month", limit === null ? null : `${cost(spent ?? "0")} of ${money(limit)}`],
    ["Payment", paymentOf(account)],
    ["Lifetime", life === null ? null : `at most ${duration(life)}`],
    ...emailFacts(account),
  ];
}

function emailFacts({
  contact_email: address,
  disabled_emails: disabled,
}: Shape<"Account">): [string, string | null][] {
  return [
    ["Emails to", address],
    ["Disabled emails", disabled.length === 0 ? null : disabled.join(", ")],
  ];
}

function tokenFacts({ token, person }: Shape<"OwnAccount">): [string, string | null][] {
  return [
    ["Person", person && `${person.name} <${person.email}>`],
    ["Role", person?.role ?? null],
    ["Operator role", token.operator_role],
    ["Token", `${token.id} (${token.scopes.join(", ")})`],
  ];
}
