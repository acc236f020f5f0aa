// `lessor auto-top-up`: charge a saved payment method when the balance is low.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { printFacts } from "../output/table.ts";
import { centsIn, money } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Order {
  readonly below: string;
  readonly amount: string;
  readonly cap: string;
  readonly method?: string;
  readonly yes: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const show = withJson(command.command("show").description("show whether it is on, and its limits")).action(
    async ({ json }: { json: boolean }) => {
      const { data } = await shell.client().ask((api) => api.GET("/auto-top-up"));
      if (json) return printJson(shell, data);
      if (data === null) return shell.out.line("Auto top-up is off.");
      print(shell, data);
    },
  );
  examples(show, { "lessor auto-top-up show": "also what it charged in this month" });

  const on = withJson(command.command("on").description("turn it on, or change it"))
    .requiredOption("--below <amount>", "charge when the balance is below this")
    .requiredOption("--amount <amount>", "how much")
    .requiredOption("--cap <amount>", "at most so much in a month")
    .option("--method <id>", "of this payment method (default: the one that was saved last)")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async ({ below, amount, cap, method, yes, json }: Order) => {
      const body = {
        ...{ threshold_cents: centsIn(below), amount_cents: centsIn(amount), monthly_cap_cents: centsIn(cap) },
        ...(method !== undefined && { payment_method_id: method }),
      };
      const what = `This charges ${money(body.amount_cents)} whenever the balance is below ${money(body.threshold_cents)}, at most ${money(body.monthly_cap_cents)} a month.`;
      await confirm(shell, { what, yes });
      const { data } = await shell.client().ask((api) => api.PUT("/auto-top-up", { body }));
      if (json) return printJson(shell, data);
      print(shell, data);
    });
  examples(on, { "lessor auto-top-up on --below 20 --amount 50 --cap 500": "asks first" });

  const off = command
    .command("off")
    .description("turn it off")
    .action(async () => {
      await shell.client().ask((api) => api.DELETE("/auto-top-up"));
      shell.out.line("Auto top-up is off.");
    });
  examples(off, { "lessor auto-top-up off": "what is charged already stays" });
}

function print(shell: Shell, data: Shape<"AutoTopUp">): void {
  const { turned_off_at: at, turned_off_reason: reason } = data;
  printFacts(shell.out, [
    ["Status", at === null ? "on" : `turned off: ${reason}`],
    ["Below", money(data.threshold_cents)],
    ["Amount", money(data.amount_cents)],
    ["Monthly cap", money(data.monthly_cap_cents)],
    ["Charged this month", money(data.charged_this_month_cents)],
    ["In progress", money(data.in_progress_cents)],
    ["Payment method", data.payment_method_id ?? "the default"],
  ]);
}
