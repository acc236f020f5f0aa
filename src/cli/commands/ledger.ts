// `lessor ledger`: payments, usage, credits, vouchers and corrections, newest first; as a table, JSON or CSV.

import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { accountNamed } from "../account-tokens.ts";
import { usageError } from "../command-error.ts";
import { asJson } from "../output/as-json.ts";
import { type Column, printTable } from "../output/table.ts";
import { cost, moment, wholeNumber } from "../output/units.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly account?: string;
  readonly last: string;
  readonly all: boolean;
  readonly csv: boolean;
  readonly json: boolean;
}

export function define(command: Command, shell: Shell): void {
  withJson(command)
    .option("--account <account>", "for operators: of this account")
    .option("--last <number>", "how many entries", "50")
    .option("-a, --all", "all entries", false)
    .option("--csv", "as CSV, for a spreadsheet", false)
    .action((options: Options) => list(shell, options));
  examples(command, {
    "lessor ledger": "the last entries, with the balance after each",
    "lessor ledger --all --csv > ledger.csv": "for a spreadsheet",
    "lessor ledger --account acme": "for operators",
  });
}

async function list(shell: Shell, { account, last, all, csv, json }: Options): Promise<void> {
  if (csv && json) throw usageError("Use only one of --csv and --json.");
  const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
  const page = all ? {} : { limit: wholeNumber("--last", 1)(last) };
  if (csv) {
    const query = { ...page, format: "csv" } as const;
    const text = await shell
      .client()
      .ask((api) =>
        id === undefined
          ? api.GET("/ledger", { params: { query }, parseAs: "text" })
          : api.GET("/accounts/{id}/ledger", { params: { path: { id }, query }, parseAs: "text" }),
      );
    return shell.out.write(text);
  }
  const { data } = asJson(
    await shell
      .client()
      .ask((api) =>
        id === undefined
          ? api.GET("/ledger", { params: { query: page } })
          : api.GET("/accounts/{id}/ledger", { params: { path: { id }, query: page } }),
      ),
  );
  if (json) return printJson(shell, data);
  printTable(shell.out, data, columns, "No entries.");
}

const columns: readonly Column<Shape<"LedgerEntry">>[] = [
  { title: "TIME", of: ({ created_at: at }) => moment(at) },
  { title: "KIND", of: ({ kind }) => kind, colour: () => "bold" },
  { title: "AMOUNT", of: ({ amount_cents: cents }) => cost(cents), align: "right" },
  { title: "BALANCE", of: ({ balance_cents: cents }) => cost(cents), align: "right" },
  { title: "FOR", of: (entry) => entry.month ?? entry.reference, spare: 1 },
  { title: "REASON", of: ({ reason }) => reason, spare: 2 },
];
