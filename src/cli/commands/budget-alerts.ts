// `lessor budget-alerts`: be told when the usage of a month reaches an amount.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { chosen } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago, centsIn, money } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Alert = Shape<"BudgetAlert">;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list them, smallest amount first")).action(
    async ({ json }: { json: boolean }) => {
      const alerts = await alertsOf(shell);
      if (json) return printJson(shell, alerts);
      printTable(shell.out, alerts, columns, "No budget alerts.");
    },
  );
  examples(list, { "lessor budget-alerts list": "also which this month's usage has reached" });

  const create = withJson(command.command("create").description("create one"))
    .argument("<amount>", "of a calendar month in UTC")
    .action(async (amount: string, { json }: { json: boolean }) => {
      const body = { amount_cents: centsIn(amount) };
      const { data } = await shell.client().ask((api) => api.POST("/budget-alerts", { body }));
      if (json) return printJson(shell, data);
      shell.out.line(`Created budget alert ${money(data.amount_cents)}.`);
    });
  examples(create, { "lessor budget-alerts create 400": "tells once a month, by event and email" });

  const remove = command
    .command("delete")
    .description("delete one")
    .argument("<alert>", "its amount, or its id, or the beginning of that")
    .action(async (word: string) => {
      const { id, amount_cents: cents } = chosen({
        word,
        what: "budget alert",
        groups: [await alertsOf(shell)],
        names: [(one) => one.id, titleOf, (one) => dollarsOf(one).toFixed(2), (one) => String(dollarsOf(one))],
        parts: [(one) => word.length >= 4 && one.id.startsWith(word)],
        show: (one) => `${titleOf(one)} (${one.id})`,
        list: "lessor budget-alerts list",
      });
      await shell.client().ask((api) => api.DELETE("/budget-alerts/{id}", { params: { path: { id } } }));
      shell.out.line(`Deleted budget alert ${money(cents)}.`);
    });
  examples(remove, { "lessor budget-alerts delete 400": "the one of $400.00" });
}

const alertsOf = async (shell: Shell) => (await shell.client().ask((api) => api.GET("/budget-alerts"))).data;

const titleOf = ({ amount_cents: cents }: Alert) => money(cents);
const dollarsOf = ({ amount_cents: cents }: Alert) => cents / 100;

const columns: readonly Column<Alert>[] = [
  { title: "ID", of: ({ id }) => id },
  { title: "AMOUNT", of: ({ amount_cents: cents }) => money(cents), align: "right" },
  { title: "REACHED", of: ({ reached_at: at }) => ago(at) ?? "", colour: () => "yellow" },
  { title: "CREATED", of: ({ created_at: at }) => ago(at) ?? "", spare: 1 },
];
