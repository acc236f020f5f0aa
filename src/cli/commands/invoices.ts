// `lessor invoices`: list, show and download invoices, and what they state of you; for operators those of any account, credit
// notes, and the export of a month (../account-invoices.ts).

import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { Shape } from "../../client/client.ts";
import { invoiceKindNames } from "../../rules/invoices.ts";
import { defineCorrections } from "../account-invoices.ts";
import { accountNamed } from "../account-tokens.ts";
import { CommandError, usageError } from "../command-error.ts";
import { inCurrency, invoiceNamed, invoicesOf } from "../invoices.ts";
import { asJson } from "../output/as-json.ts";
import { type Column, printFacts, printTable } from "../output/table.ts";
import { examples, printJson, type Shell, withJson } from "../shell.ts";

interface Options {
  readonly account?: string;
  readonly all?: boolean;
  readonly month?: string;
  readonly kind?: string;
  readonly output?: string;
  readonly csv: boolean;
  readonly json: boolean;
}

interface Details {
  readonly account?: string;
  readonly name?: string;
  readonly address?: readonly string[];
  readonly country?: string;
  readonly taxId?: string;
  readonly email?: string;
  readonly json: boolean;
}

const which = "its number, or its id";
const forOperators = ["--account <account>", "for operators: of this account"] as const;

export function define(command: Command, shell: Shell): void {
  const list = withJson(command.command("list").alias("ls").description("list invoices, newest first"))
    .option(...forOperators)
    .option("-a, --all", "for operators: of all accounts", false)
    .option("--month <month>", "only of one month, such as 2026-03")
    .option("--kind <kind>", `only ${invoiceKindNames.join(", ")}`)
    .option("--csv", "as CSV, for a spreadsheet", false)
    .action((options: Options) => listInvoices(shell, options));
  examples(list, {
    "lessor invoices list": "invoices, receipts and credit notes",
    "lessor invoices list --month 2026-03 --csv > invoices.csv": "for a spreadsheet",
  });

  const show = withJson(command.command("show").description("show an invoice with its lines"))
    .argument("<invoice>", which)
    .option(...forOperators)
    .action(async (word: string, { account, json }: Options) => {
      const { id } = await invoiceNamed(shell, word, account);
      const path = { id };
      const { data } = asJson(
        await shell.client().ask((api) => api.GET("/invoices/{id}", { params: { path, query: {} } })),
      );
      if (json) return printJson(shell, data);
      printFacts(shell.out, factsOf(data));
      printTable(shell.out, data.lines, lineColumns(data.currency), "No lines.");
    });
  examples(show, { "lessor invoices show INV-2026-000042": "its lines, and how much of them is tax" });

  const download = command
    .command("download")
    .description("download an invoice as PDF")
    .argument("<invoice>", which)
    .option(...forOperators)
    .option("-o, --output <file>", "where to write it; - for the standard output (default: its number)")
    .action((word: string, options: Options) => downloadInvoice(shell, word, options));
  examples(download, { "lessor invoices download INV-2026-000042": "writes INV-2026-000042.pdf" });

  const details = withJson(command.command("details").description("show or change what invoices state of you"))
    .option(...forOperators)
    .option("--name <name>", "the legal name; none: the name of the account")
    .option("--address <line...>", "up to six lines; none: no address")
    .option("--country <country>", "two letters, such as DE; none: no country")
    .option("--tax-id <id>", "in the European Union with the country; none: no tax id")
    .option("--email <address>", "where invoices go; none: to the contact address")
    .action((options: Details) => billingDetails(shell, options));
  examples(details, {
    'lessor invoices details --name "Initech GmbH" --country DE --tax-id DE999999999': "for invoices from now on",
  });

  defineCorrections(command, shell);
}

async function listInvoices(shell: Shell, { account, all, month, kind: word, csv, json }: Options): Promise<void> {
  if (csv && json) throw usageError("Use only one of --csv and --json.");
  if (account !== undefined && all) throw usageError("Use only one of --account and --all.");
  const kind = invoiceKindNames.find((one) => one === word);
  if (word !== undefined && kind === undefined)
    throw usageError(`--kind must be one of ${invoiceKindNames.join(", ")}.`);
  const query = { ...(month !== undefined && { month }), ...(kind !== undefined && { kind }) };
  const ofAll = all ? { all } : {};
  const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
  if (csv) {
    const asked = { ...query, format: "csv" } as const;
    const text = await shell
      .client()
      .ask((api) =>
        id === undefined
          ? api.GET("/invoices", { params: { query: { ...asked, ...ofAll } }, parseAs: "text" })
          : api.GET("/accounts/{id}/invoices", { params: { path: { id }, query: asked }, parseAs: "text" }),
      );
    return shell.out.write(text);
  }
  const data = await invoicesOf(shell, id, { ...query, ...ofAll });
  if (json) return printJson(shell, data);
  printTable(shell.out, data, columns, "No invoices.");
}

async function downloadInvoice(shell: Shell, word: string, { account, output }: Options): Promise<void> {
  const { id, number } = await invoiceNamed(shell, word, account);
  const bytes = await shell
    .client()
    .ask((api) => api.GET("/invoices/{id}/pdf", { params: { path: { id } }, parseAs: "arrayBuffer" }));
  // The number comes from the service: it names no other folder.
  const file = output ?? `${number.replaceAll(/[^\w.-]+/g, "-").replace(/^[.-]+/, "")}.pdf`;
  if (file === "-") {
    process.stdout.write(Buffer.from(bytes));
    return;
  }
  try {
    writeFileSync(file, Buffer.from(bytes), { flag: output === undefined ? "wx" : "w" });
  } catch (error) {
    throw new CommandError(`Cannot write ${file}.`, "It might exist already: choose another file with --output.", {
      cause: error,
    });
  }
  shell.out.line(`Wrote ${file}.`);
}

async function billingDetails(shell: Shell, options: Details): Promise<void> {
  const { account, name, address, country, taxId, email, json } = options;
  const orNull = (text: string) => (text === "none" ? null : text);
  const body = {
    ...(name !== undefined && { legal_name: orNull(name) }),
    ...(address !== undefined && { address: address[0] === "none" ? [] : [...address] }),
    ...(country !== undefined && { country: orNull(country) }),
    ...(taxId !== undefined && { tax_id: orNull(taxId) }),
    ...(email !== undefined && { invoice_email: orNull(email) }),
  };
  const isChange = Object.keys(body).length > 0;
  const id = account === undefined ? undefined : (await accountNamed(shell, account)).id;
  const { data } = await shell.client().ask((api) => {
    if (id === undefined) {
      return isChange ? api.PATCH("/account/billing-details", { body }) : api.GET("/account/billing-details");
    }
    const params = { path: { id } };
    return isChange
      ? api.PATCH("/accounts/{id}/billing-details", { params, body })
      : api.GET("/accounts/{id}/billing-details", { params });
  });
  if (json) return printJson(shell, data);
  printFacts(shell.out, [
    ["Name", data.legal_name],
    ["Address", data.address.length === 0 ? null : data.address.join(", ")],
    ["Country", data.country],
    ["Tax id", data.tax_id],
    ["Invoices to", data.invoice_email],
  ]);
}

const columns: readonly Column<Shape<"ListedInvoice">>[] = [
  { title: "NUMBER", of: ({ number }) => number, colour: () => "bold" },
  { title: "KIND", of: ({ kind }) => kind },
  { title: "MONTH", of: ({ month }) => month, spare: 2 },
  { title: "ISSUED", of: ({ issued_at: at }) => at.slice(0, 10) },
  { title: "DUE", of: ({ due_on: due }) => due, spare: 1 },
  { title: "TOTAL", of: ({ total_cents: cents, currency }) => inCurrency(cents, currency), align: "right" },
  { title: "TAX", of: ({ tax_cents: cents, currency }) => inCurrency(cents, currency), align: "right", spare: 3 },
];

const lineColumns = (currency: string): readonly Column<Shape<"InvoiceLine">>[] => [
  { title: "ITEM", of: ({ text }) => text },
  { title: "HOURS", of: ({ seconds }) => (seconds === null ? null : (seconds / 3600).toFixed(2)), align: "right" },
  { title: "NET", of: ({ net_cents: cents }) => inCurrency(cents, currency), align: "right" },
  { title: "TOTAL", of: ({ total_cents: cents }) => inCurrency(cents, currency), align: "right" },
];

function factsOf(invoice: Shape<"Invoice">): [string, string | null][] {
  const { currency } = invoice;
  return [
    ["Number", `${invoice.number} (${invoice.id})`],
    ["Kind", invoice.kind],
    ["Customer", invoice.customer_name],
    ["Month", invoice.month],
    ["Issued", invoice.issued_at.slice(0, 10)],
    ["Due", invoice.due_on],
    ["Net", inCurrency(invoice.net_cents, currency)],
    [`${invoice.tax_label} ${invoice.tax_basis_points / 100} %`, inCurrency(invoice.tax_cents, currency)],
    ["Total", inCurrency(invoice.total_cents, currency)],
    ["Note", invoice.tax_note],
    ["Corrects", invoice.corrects_number],
    ["Reason", invoice.reason],
  ];
}
