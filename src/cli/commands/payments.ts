// `lessor payments`: top up your balance through the payment provider, and list payments; for operators those of all accounts.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { paymentStatuses } from "../../rules/payments.ts";
import { accountNamed, accountsOf } from "../account-tokens.ts";
import { usageError } from "../command-error.ts";
import type { Colour } from "../output/screen.ts";
import { type Column, printFacts, printTable } from "../output/table.ts";
import { ago, centsIn, money } from "../output/units.ts";
import { defineRefunds } from "../payment-refunds.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Payment = Shape<"Payment">;

interface ListOptions {
  readonly status?: string;
  readonly account?: string;
  readonly disputed: boolean;
  readonly all: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const topUp = withJson(command.command("top-up").description("pay into your balance"))
    .argument("<amount>", "such as 50 or 49.90")
    .action(async (amount: string, { json }: { json: boolean }) => {
      const body = { amount_cents: centsIn(amount) };
      const { data } = await shell.client().ask((api) => api.POST("/top-ups", { body }));
      if (json) return printJson(shell, data);
      if (data.checkout_url !== null) return shell.out.line(`Pay ${money(data.amount_cents)} at ${data.checkout_url}`);
      shell.out.line(`The payment provider did not respond yet. See lessor payments show ${data.id}.`);
    });
  examples(topUp, { "lessor payments top-up 50": "prints where you pay" });

  const list = withJson(command.command("list").alias("ls").description("list your payments, newest first"))
    .option("-a, --all", "for operators: of all accounts", false)
    .option("--account <account>", "for operators: of this account")
    .option("--status <status>", `for operators: only those that are ${paymentStatuses.join(", ")}`)
    .option("--disputed", "for operators: only those that were disputed", false)
    .action((options: ListOptions) => listPayments(shell, options));
  examples(list, {
    "lessor payments list": "yours",
    "lessor payments list --all --status processing": "for operators: what is on its way",
  });

  const show = withJson(command.command("show").description("show a payment of yours"))
    .argument("<id>", "its id")
    .action(async (id: string, { json }: { json: boolean }) => {
      const { data } = await shell.client().ask((api) => api.GET("/top-ups/{id}", { params: { path: { id } } }));
      if (json) return printJson(shell, data);
      printFacts(shell.out, [
        ["Amount", amountOf(data)],
        ["Status", data.status],
        ["Failure", data.failure],
        ["Pay at", data.checkout_url],
        ["Reference", data.provider_payment_id],
      ]);
    });
  examples(show, { "lessor payments show 0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b70": "its status, and where you pay" });
  defineRefunds(command, shell);
}

async function listPayments(shell: Shell, { status: word, account, disputed, all, json }: ListOptions): Promise<void> {
  const status = paymentStatuses.find((known) => known === word);
  if (word !== undefined && status === undefined)
    throw usageError(`"${word}" is not a status of payments.`, `Use ${paymentStatuses.join(", ")}.`);
  if (account !== undefined && all) throw usageError("Use only one of --account and --all.");
  const isOperator = all || account !== undefined || status !== undefined || disputed;
  const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
  const query = { ...(status && { status }), ...(id && { account_id: id }), ...(disputed && { disputed }) };
  const { data } = await shell
    .client()
    .ask((api) => (isOperator ? api.GET("/payments", { params: { query } }) : api.GET("/top-ups")));
  if (json) return printJson(shell, data);
  printTable(shell.out, data, isOperator ? await columnsFor(shell, data) : columns, "No payments.");
}

/** For operators also whose they are, and which were disputed. */
async function columnsFor(shell: Shell, payments: readonly Payment[]): Promise<readonly Column<Payment>[]> {
  const names = new Map(payments.length === 0 ? [] : (await accountsOf(shell)).map(({ id, name }) => [id, name]));
  const [id, status, ...rest] = columns;
  const own: readonly Column<Payment>[] = [
    { title: "ACCOUNT", of: ({ account_id: account }) => names.get(account), spare: 1 },
    { title: "DISPUTED", of: ({ disputed }) => (disputed ? "yes" : "") },
  ];
  return id === undefined || status === undefined ? own : [id, status, ...own, ...rest];
}

/** In the currency of the installation. */
const amountOf = ({ amount_cents: cents, currency }: Payment) =>
  currency === "usd" ? money(cents) : `${(cents / 100).toFixed(2)} ${currency.toUpperCase()}`;

const columns: readonly Column<Payment>[] = [
  { title: "ID", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status, colour: ({ status }) => colours[status] },
  { title: "AMOUNT", of: amountOf, align: "right" },
  { title: "CREATED", of: ({ created_at: at }) => ago(at) ?? "", spare: 1 },
  { title: "REFERENCE", of: ({ provider_payment_id: id }) => id, spare: 2 },
  { title: "FAILURE", of: ({ failure }) => failure },
];

const colours: Readonly<Partial<Record<Payment["status"], Colour>>> = {
  ...{ created: "yellow", pending: "yellow", processing: "yellow", paid: "green", failed: "red" },
};
