// `lessor invoices credit, export`, for operators: credit notes, and the month for the accountant. Used by
// commands/invoices.ts.

import type { Command } from "commander";
import { confirm } from "./ask.ts";
import { usageError } from "./command-error.ts";
import { inCurrency, invoiceNamed } from "./invoices.ts";
import { centsIn } from "./output/units.ts";
import { examples, printJson, type Shell, withJson } from "./shell.ts";

interface Options {
  readonly account: string;
  readonly reason: string;
  readonly line?: readonly string[];
  readonly yes: boolean;
  readonly json: boolean;
}

export function defineCorrections(command: Command, shell: Shell): void {
  const credit = withJson(command.command("credit").description("for operators: issue a credit note"))
    .argument("<invoice>", "its number, or its id")
    .requiredOption("--account <account>", "whose invoice it is")
    .requiredOption("--reason <text>", "why; it is on the credit note")
    .option("--line <line=amount...>", "only this much of a line, such as 1=50 (default: all that is left)")
    .option("-y, --yes", "skip the confirmation", false)
    .action((word: string, options: Options) => issueCreditNote(shell, word, options));
  examples(credit, {
    'lessor invoices credit INV-2026-000042 --account acme --reason "Outage" --line 1=50': "50 of the first line",
  });

  const exported = command
    .command("export")
    .description("for operators: export a closed month for accounting, as CSV")
    .argument("<month>", "such as 2026-03")
    .action(async (month: string) => {
      const text = await shell
        .client()
        .ask((api) => api.GET("/accounting/{month}", { params: { path: { month } }, parseAs: "text" }));
      shell.out.write(text);
    });
  examples(exported, { "lessor invoices export 2026-03 > 2026-03.csv": "all entries of the ledger, and all invoices" });
}

async function issueCreditNote(shell: Shell, word: string, options: Options): Promise<void> {
  const { account, reason, line, yes, json } = options;
  const lines = line?.map((text) => {
    const [, place, amount = ""] = /^(\d{1,6})=(.*)$/.exec(text) ?? [];
    if (place === undefined) throw usageError(`"${text}" is not a line and an amount.`, "Use 1=50, for example.");
    return { line: Number(place), amount_cents: centsIn(amount) };
  });
  const { id, number, total_cents: total, currency } = await invoiceNamed(shell, word, account);
  const what = lines === undefined ? "all that is left" : "a part";
  await confirm(shell, {
    what: `This takes back ${what} of ${number} (${inCurrency(total, currency)}). It changes no balance.`,
    yes,
  });
  const params = { path: { id }, header: { "Idempotency-Key": crypto.randomUUID() } };
  const body = { reason, ...(lines !== undefined && { lines }) };
  const { data } = await shell.client().ask((api) => api.POST("/invoices/{id}/credit-notes", { params, body }));
  if (json) return printJson(shell, data);
  shell.out.line(`Issued ${data.number} of ${inCurrency(data.total_cents, data.currency)}.`);
}
