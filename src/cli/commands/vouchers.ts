// `lessor vouchers`: redeem a voucher; for operators create, list and delete them.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { confirm } from "../ask.ts";
import { byIdOrName } from "../names.ts";
import { type Column, printTable } from "../output/table.ts";
import { centsIn, cost, moment, money, secondsIn, wholeNumber } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Order {
  readonly uses: string;
  readonly expires?: string;
  readonly code?: string;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  const redeem = withJson(command.command("redeem").description("add what a voucher is worth to your balance"))
    .argument("<code>", "its code; neither dashes nor case count")
    .action(async (code: string, { json }: { json: boolean }) => {
      const { data } = await shell.client().ask((api) => api.POST("/vouchers/redeem", { body: { code } }));
      if (json) return printJson(shell, data);
      shell.out.line(`Added ${cost(data.amount_cents)} to your balance. See lessor balance.`);
    });
  examples(redeem, { "lessor vouchers redeem 7KQ2M-X9TRA-4W7EH-PDN3V": "each counts once for your account" });

  const list = withJson(command.command("list").alias("ls").description("for operators: list vouchers")).action(
    async ({ json }: { json: boolean }) => {
      const vouchers = await vouchersOf(shell);
      if (json) return printJson(shell, vouchers);
      printTable(shell.out, vouchers, columns, "No vouchers.");
    },
  );
  examples(list, { "lessor vouchers list": "without their codes" });

  const create = withJson(
    command.command("create").description("for operators: create a voucher, and show its code once"),
  )
    .argument("<name>", "for operators, and in the ledger of accounts that redeem it")
    .argument("<amount>", "what it is worth to each account, such as 50 or 49.90")
    .option("--uses <number>", "how many accounts can redeem it", "1")
    .option("--expires <span>", "when it expires, such as 12h or 90d (default: never)")
    .option("--code <code>", "8 to 64 letters, digits and dashes (default: random)")
    .action(async (name: string, amount: string, { uses, expires, code, json }: Order) => {
      const body = {
        ...{ name, amount_cents: centsIn(amount), max_uses: wholeNumber("--uses", 1)(uses) },
        ...(expires !== undefined && { expires_at: new Date(Date.now() + secondsIn(expires) * 1000).toISOString() }),
        ...(code !== undefined && { code }),
      };
      const { data } = await shell.client().ask((api) => api.POST("/vouchers", { body }));
      if (json) return printJson(shell, data);
      shell.err.line("Save the code now. It cannot be shown again.");
      shell.out.line(data.code);
    });
  examples(create, {
    'lessor vouchers create "Spring 2026" 50 --uses 100 --expires 90d': "$50 for each of 100 accounts",
    "lessor vouchers create Workshop 20 --uses 30 --code WORKSHOP-2026": "with a code of your own",
  });

  const remove = command
    .command("delete")
    .description("for operators: delete a voucher; what was redeemed stays")
    .argument("<voucher>", "its name or id, or the beginning of one")
    .option("-y, --yes", "skip the confirmation", false)
    .action(async (word: string, { yes }: { yes: boolean }) => {
      const { id, name } = byIdOrName(word, await vouchersOf(shell), { what: "voucher", list: "lessor vouchers list" });
      await confirm(shell, { what: `This deletes the voucher ${name}: it can no longer be redeemed.`, yes });
      await shell.client().ask((api) => api.DELETE("/vouchers/{id}", { params: { path: { id } } }));
      shell.out.line(`Deleted voucher ${name}.`);
    });
  examples(remove, { 'lessor vouchers delete "Spring 2026"': "asks for confirmation" });
}

async function vouchersOf(shell: Shell): Promise<Shape<"Voucher">[]> {
  return (await shell.client().ask((api) => api.GET("/vouchers", { params: { query: {} } }))).data;
}

const columns: readonly Column<Shape<"Voucher">>[] = [
  { title: "VOUCHER", of: ({ name }) => name, colour: () => "bold" },
  { title: "WORTH", of: ({ amount_cents: cents }) => money(cents), align: "right" },
  { title: "USED", of: ({ uses, max_uses: most }) => `${uses}/${most}`, align: "right" },
  { title: "EXPIRES", of: ({ expires_at: at }) => moment(at), spare: 1 },
];
