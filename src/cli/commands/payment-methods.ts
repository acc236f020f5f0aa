// `lessor payment-methods`: save a card or a bank account at the payment provider, list and remove them.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { byIdOrName } from "../names.ts";
import type { Colour } from "../output/screen.ts";
import { type Column, printTable } from "../output/table.ts";
import { ago } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

type Method = Shape<"PaymentMethod">;

export function define(command: Command, shell: Shell): void {
  const add = withJson(command.command("add").description("print where you enter a new one")).action(
    async ({ json }: { json: boolean }) => {
      const { data } = await shell.client().ask((api) => api.POST("/payment-methods"));
      if (json) return printJson(shell, data);
      if (data.checkout_url !== null) return shell.out.line(`Enter it at ${data.checkout_url}`);
      shell.out.line("The payment provider did not respond yet. See lessor payment-methods list.");
    },
  );
  examples(add, { "lessor payment-methods add": "the page is the payment provider's" });

  const list = withJson(command.command("list").alias("ls").description("list them, newest first")).action(
    async ({ json }: { json: boolean }) => {
      const methods = await methodsOf(shell);
      if (json) return printJson(shell, methods);
      printTable(shell.out, methods, columns, "No payment methods.");
    },
  );
  examples(list, { "lessor payment-methods list": "the default is the one that was saved last" });

  const remove = command
    .command("remove")
    .description("remove one; it is charged no more")
    .argument("<id>", "its id, or the beginning of it")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const methods = (await methodsOf(shell)).map((method) => ({ ...method, name: titleOf(method) }));
      const { id, name } = byIdOrName(word, methods, { what: "payment method", list: "lessor payment-methods list" });
      await confirm(shell, { what: `This removes the payment method ${name}: it is charged no more.`, yes });
      await shell.client().ask((api) => api.DELETE("/payment-methods/{id}", { params: { path: { id } } }));
      shell.out.line(`Removed payment method ${name}.`);
    });
  examples(remove, { "lessor payment-methods remove 0198c5d3": "asks first" });
}

const methodsOf = async (shell: Shell) => (await shell.client().ask((api) => api.GET("/payment-methods"))).data;

/** visa …4242; the id of one that is not entered. */
const titleOf = ({ id, brand, last4 }: Method) =>
  brand === null ? id : `${brand}${last4 === null ? "" : ` …${last4}`}`;

const columns: readonly Column<Method>[] = [
  { title: "ID", of: ({ id }) => id },
  { title: "STATUS", of: ({ status }) => status, colour: ({ status }) => colours[status] },
  { title: "METHOD", of: (method) => (method.brand === null ? method.checkout_url : titleOf(method)) },
  { title: "EXPIRES", of: ({ exp_month: month, exp_year: year }) => (month === null ? null : `${month}/${year}`) },
  { title: "DEFAULT", of: ({ is_default: is }) => (is ? "yes" : "") },
  { title: "CREATED", of: ({ created_at: at }) => ago(at) ?? "", spare: 1 },
];

const colours: Readonly<Partial<Record<Method["status"], Colour>>> = {
  ...{ created: "yellow", pending: "yellow", saved: "green", failed: "red" },
};
