// `lessor accounts`, for operators: list, show, create, change; the tokens of an account are in ../account-tokens.ts, and
// what is recorded in its ledger in ../account-ledger.ts.

import { type Command, Option } from "commander";
import type { Shape } from "../../client/client.ts";
import { paymentTerms } from "../../rules/payment-terms.ts";
import { defineLedger } from "../account-ledger.ts";
import { definePeople } from "../account-people.ts";
import { accountNamed, accountsOf, defineTokens } from "../account-tokens.ts";
import { usageError } from "../command-error.ts";
import { type EmailOptions, emailChange, withEmailOptions } from "../email-options.ts";
import { type Column, printFacts, printTable } from "../output/table.ts";
import { age, centsIn, cost, money, secondsIn, wholeNumber } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";
import { accountFacts } from "./account.ts";

interface Bounds extends EmailOptions {
  readonly instances?: string;
  readonly gpus?: string;
  readonly vcpus?: string;
  readonly sshKeys?: string;
  readonly fileSystems?: string;
  readonly limit?: string;
  readonly maxLifetime?: string;
  readonly terms?: "prepaid" | "postpaid";
  readonly creditLine?: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list accounts")).action(
    async ({ json }: { json: boolean }) => {
      const accounts = await accountsOf(shell);
      if (json) return printJson(shell, accounts);
      printTable(shell.out, accounts, columns, "No accounts.");
    },
  );
  examples(list, { "lessor accounts list": "usage and spending of each account" });

  const show = withJson(command.command("show").description("show an account with its quotas and limits"))
    .argument("<account>", "its name, its id, or the beginning of either")
    .action(async (word: string, { json }: { json: boolean }) => {
      const { id } = await accountNamed(shell, word);
      const { data } = await shell.client().ask((api) => api.GET("/accounts/{id}", { params: { path: { id } } }));
      if (json) return printJson(shell, data);
      printFacts(shell.out, accountFacts(data));
    });
  examples(show, { "lessor accounts show acme": "usage of each quota" });

  const create = withBounds(command.command("create").description("create an account; then create a token for it"))
    .argument("<name>", "a unique name")
    .action(async (name: string, bounds: Bounds) => {
      const { data } = await shell
        .client()
        .ask((api) => api.POST("/accounts", { body: { name, ...boundsFrom(bounds), ...emailChange(bounds, []) } }));
      if (bounds.json) return printJson(shell, data);
      shell.out.line(
        `Created account ${data.name}. Create a token for it: lessor accounts tokens create ${data.name} first`,
      );
    });
  examples(create, { "lessor accounts create acme --gpus 16 --limit 5000": "16 GPUs, and $5,000 a month" });

  const change = withBounds(command.command("change").description("change the quotas and limits of an account"))
    .argument("<account>", "its name, its id, or the beginning of either")
    .option("--name <name>", "a new name")
    .option("--activate", "activate it again", false)
    .option("--deactivate", "reject all its requests; its instances and reservations stay billed", false)
    .option("--lift-hold", "let it launch again after a dispute", false)
    .action(
      async (
        word: string,
        options: Bounds & { name?: string; activate: boolean; deactivate: boolean; liftHold: boolean },
      ) => {
        const { name, activate, deactivate } = options;
        const status = activate ? { status: "active" as const } : deactivate ? { status: "inactive" as const } : {};
        const given = {
          ...(name === undefined ? {} : { name }),
          ...status,
          ...boundsFrom(options),
          ...(options.liftHold && { lift_hold: true as const }),
        };
        if (Object.keys({ ...given, ...emailChange(options, []) }).length === 0)
          throw usageError("Specify what to change.", "See lessor accounts change --help.");
        const { id, disabled_emails: disabled } = await accountNamed(shell, word);
        const body = { ...given, ...emailChange(options, disabled) };
        const { data } = await shell
          .client()
          .ask((api) => api.PATCH("/accounts/{id}", { params: { path: { id } }, body }));
        if (options.json) return printJson(shell, data);
        printFacts(shell.out, accountFacts(data));
      },
    );
  examples(change, {
    "lessor accounts change acme --gpus 32": "more GPUs",
    "lessor accounts change acme --limit none": "no spend limit",
    "lessor accounts change acme --terms prepaid": "it needs money in its balance before it launches",
    "lessor accounts change acme --deactivate": "an account that does not pay",
  });

  defineLedger(command, shell);
  definePeople(command, shell);
  defineTokens(command.command("tokens").description("manage the tokens of an account"), shell);
}

function withBounds(command: Command): Command {
  return withEmailOptions(withJson(command))
    .option("--instances <number>", "maximum number of instances")
    .option("--gpus <number>", "maximum number of GPUs")
    .option("--vcpus <number>", "maximum number of vCPUs")
    .option("--ssh-keys <number>", "maximum number of SSH keys")
    .option("--file-systems <number>", "maximum number of file systems")
    .option("--limit <amount>", "monthly spend limit, such as 5000; none: no limit")
    .addOption(new Option("--terms <terms>", "whether it pays before or afterwards").choices(paymentTerms))
    .option("--credit-line <amount>", "how far below zero its balance may be; none: without a bound")
    .option("--max-lifetime <span>", "maximum lifetime of its instances, such as 8h; none: no limit");
}

/** The limits in the request body. Throws CommandError. */
function boundsFrom({ instances, gpus, vcpus, sshKeys, fileSystems, limit, maxLifetime, terms, creditLine }: Bounds) {
  const given = { instances, gpus, vcpus, ssh_keys: sshKeys, file_systems: fileSystems };
  const quotas = Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, wholeNumber(`--${name.replace("_", "-")}`)(text)]],
    ),
  );
  return {
    ...(Object.keys(quotas).length === 0 ? {} : { quotas }),
    ...(terms === undefined ? {} : { payment_terms: terms }),
    ...(creditLine === undefined ? {} : { credit_line_cents: creditLine === "none" ? null : centsIn(creditLine) }),
    ...(limit === undefined ? {} : { spend_limit_cents: limit === "none" ? null : centsIn(limit) }),
    ...(maxLifetime === undefined
      ? {}
      : { max_lifetime_seconds: maxLifetime === "none" ? null : secondsIn(maxLifetime) }),
  };
}

const columns: readonly Column<Shape<"Account">>[] = [
  { title: "ACCOUNT", of: ({ name }) => name, colour: () => "bold" },
  { title: "STATUS", of: ({ status }) => status, colour: ({ status }) => (status === "active" ? "green" : "red") },
  { title: "INSTANCES", of: ({ used, quotas }) => `${used.instances}/${quotas.instances}`, align: "right" },
  { title: "GPUS", of: ({ used, quotas }) => `${used.gpus}/${quotas.gpus}`, align: "right", spare: 1 },
  {
    title: "SPENT",
    of: ({ spent_this_month_cents: spent }) => (spent === null ? null : cost(spent)),
    align: "right",
    spare: 2,
  },
  {
    title: "OF",
    of: ({ spend_limit_cents: limit }) => (limit === null ? null : money(limit)),
    align: "right",
    spare: 3,
  },
  { title: "AGE", of: ({ created_at }) => age(created_at), align: "right", spare: 5 },
  { title: "ID", of: ({ id }) => id, spare: 4 },
];
