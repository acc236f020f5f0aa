// Invoices and billing details in responses of the control interface. Used by invoices.ts, accounting.ts and
// billing-details.ts.

import { type Static, Type } from "typebox";
import type { BillingDetails as StoredDetails } from "../../../rental/invoices/billing-details.ts";
import type { Invoice as StoredInvoice } from "../../../rental/invoices/invoice-store.ts";
import { type InvoiceLine, inCents, invoiceKindNames, invoiceKinds } from "../../../rules/invoices.ts";
import { sampleInstance } from "../../api/samples.ts";
import * as field from "../fields.ts";

const cents = (text: string) => Type.Integer({ description: text });
const microCents = Type.String({ description: "Exact, in millionths of a cent." });

export const InvoiceKind = Type.Enum(invoiceKindNames, {
  title: "InvoiceKind",
  description: invoiceKindNames.map((kind) => `\`${kind}\`: ${invoiceKinds[kind].meaning}`).join(" "),
});

const listed = {
  id: field.uuid(),
  number: Type.String({ examples: ["INV-2026-000042"] }),
  kind: InvoiceKind,
  account_id: field.uuid(),
  month: Type.String({
    description: "That it is accounted to: of usage, the month of the usage.",
    examples: ["2026-03"],
  }),
  issued_at: field.timestamp(),
  due_on: field.orNull(Type.String({ examples: ["2026-04-15"] }), "Null: nothing is to pay."),
  currency: Type.String({ examples: ["EUR"] }),
  total_cents: cents("With tax. Of a credit note below zero."),
  net_cents: cents("Without tax."),
  tax_cents: cents("The tax."),
  micro_cents: microCents,
  tax_basis_points: Type.Integer({ examples: [1900] }),
  tax_label: Type.String({ examples: ["VAT"] }),
  tax_note: field.orNull(Type.String()),
  customer_name: Type.String(),
  customer_country: field.orNull(Type.String({ examples: ["DE"] })),
  customer_tax_id: field.orNull(Type.String()),
  ledger_entry_id: field.orNull(Type.String(), "Of a top-up."),
  corrects_id: field.orNull(field.uuid(), "Of a credit note: its invoice."),
  corrects_number: field.orNull(Type.String()),
  reason: field.orNull(Type.String(), "Of a credit note."),
};
export const ListedInvoice = Type.Object(listed, { title: "ListedInvoice" });

const Line = Type.Object(
  {
    text: Type.String(),
    seconds: field.orNull(Type.Integer()),
    price_cents_per_hour: field.orNull(Type.Integer()),
    discount_basis_points: field.orNull(Type.Integer()),
    micro_cents: microCents,
    total_cents: Type.Integer(),
    net_cents: Type.Integer(),
    tax_cents: Type.Integer(),
    corrects_line: field.orNull(Type.Integer(), "Of a credit note: the line of its invoice, from 1."),
  },
  { title: "InvoiceLine" },
);
const lines = (text: string) => Type.Array(Type.String(), { description: text });

export const Invoice = Type.Object(
  {
    ...listed,
    customer_address: lines("Lines."),
    seller: Type.Object(
      {
        name: Type.String(),
        address: lines("Lines."),
        country: field.orNull(Type.String()),
        tax_id: field.orNull(Type.String()),
        registration: field.orNull(Type.String()),
        bank: lines("Lines."),
      },
      { title: "Seller" },
    ),
    lines: Type.Array(Line),
  },
  { title: "Invoice" },
);

/** The columns of its CSV. */
export const lineColumns = ["number", ...Object.keys(Line.properties)];

export function listedView(one: StoredInvoice): Static<typeof ListedInvoice> {
  const { sums, tax, customer, corrects } = one;
  return {
    ...{ id: one.id, number: one.number, kind: one.kind, account_id: one.accountId, month: one.month },
    ...{ issued_at: one.issuedAt.toISOString(), due_on: one.dueOn, currency: one.currency },
    ...{ total_cents: sums.totalCents, net_cents: sums.netCents, tax_cents: sums.taxCents },
    micro_cents: String(sums.microCents),
    ...{ tax_basis_points: tax.basis_points, tax_label: tax.label, tax_note: tax.note },
    ...{ customer_name: customer.name, customer_country: customer.country, customer_tax_id: customer.tax_id },
    ledger_entry_id: one.entryId === null ? null : String(one.entryId),
    ...{ corrects_id: corrects?.id ?? null, corrects_number: corrects?.number ?? null, reason: one.reason },
  };
}

export function invoiceView(one: StoredInvoice): Static<typeof Invoice> {
  const { name, address, country, tax_id, registration, bank } = one.seller;
  return {
    ...listedView(one),
    customer_address: [...one.customer.address],
    seller: { name, address: [...address], country, tax_id, registration, bank: [...bank] },
    lines: one.lines.map(lineView),
  };
}

function lineView(line: InvoiceLine): Static<typeof Line> {
  const { text, seconds, price_cents_per_hour, discount_basis_points, corrects_line } = line;
  const { micro_cents, total_cents, net_cents, tax_cents } = line;
  return {
    ...{ text, seconds, price_cents_per_hour, discount_basis_points },
    ...{ micro_cents, total_cents, net_cents, tax_cents, corrects_line },
  };
}

const country = () => Type.String({ pattern: "^[A-Z]{2}$", description: "ISO 3166-1, two letters.", examples: ["DE"] });
const oneLine = (most: number, example: string) =>
  Type.String({
    ...{
      minLength: 1,
      maxLength: most,
      pattern: "^[^\\s\\x00-\\x1f\\x7f](.*[^\\s\\x00-\\x1f\\x7f])?$",
      examples: [example],
    },
  });

const details = {
  legal_name: field.orNull(oneLine(140, "Initech GmbH"), "Null: the name of the account."),
  address: Type.Array(oneLine(100, "Ring 2"), { maxItems: 6, description: "Up to six lines." }),
  country: field.orNull(country()),
  tax_id: field.orNull(
    oneLine(30, "DE999999999"),
    "In the European Union it begins with the country. It is not looked up.",
  ),
  invoice_email: field.orNull(field.emailAddress(), "Where invoices go. Null: to the contact address."),
};
export const BillingDetails = Type.Object(details, { title: "BillingDetails" });
export const ChangeBillingDetails = Type.Partial(Type.Object(details), { title: "ChangeBillingDetails" });

export function detailsView({ name, address, country, taxId, email }: StoredDetails): Static<typeof BillingDetails> {
  return { legal_name: name, address: [...address], country, tax_id: taxId, invoice_email: email };
}

const { lines: sampleLines, sums: sampleSums } = inCents(
  [
    {
      ...{ text: "h100_pcie-1 in north", seconds: 360_000, price_cents_per_hour: 249, discount_basis_points: 0 },
      microCents: 24_900_000_000n,
    },
  ],
  1900,
);
const sample: StoredInvoice = {
  ...{ id: "0198c5d3-5c52-7c4e-9d0c-0a3c5f1f2b71", accountId: sampleInstance.accountId, kind: "usage" },
  ...{ number: "INV-2026-000042", month: "2026-03", entryId: null, corrects: null, reason: null },
  ...{ issuedAt: new Date("2026-04-01T01:10:00.000Z"), dueOn: "2026-04-15", currency: "EUR", sums: sampleSums },
  tax: { basis_points: 1900, label: "VAT", note: null },
  seller: {
    ...{ name: "Acme Cloud GmbH", address: ["Hauptstr. 1", "10115 Berlin"], country: "DE", tax_id: "DE123456789" },
    ...{ registration: "HRB 1234, Berlin", bank: ["IBAN DE02 1203 0000 0000 2020 51"] },
  },
  customer: { name: "Initech GmbH", address: ["Ring 2", "80331 München"], country: "DE", tax_id: "DE999999999" },
  lines: sampleLines,
};
const { lines: noteLines, sums: noteSums } = inCents(
  [
    {
      ...sample.lines[0],
      text: "h100_pcie-1 in north",
      seconds: null,
      price_cents_per_hour: 249,
      discount_basis_points: 0,
      microCents: -500_000_000n,
    },
  ],
  1900,
);

export const examples = {
  invoice: sample,
  details: detailsView({ ...sample.customer, taxId: "DE999999999", email: "invoices@initech.example" }),
  creditNote: {
    ...{ ...sample, kind: "credit_note", number: "CN-2026-000007", dueOn: null, month: "2026-04", reason: "Outage" },
    ...{ corrects: { id: sample.id, number: sample.number }, sums: noteSums },
    lines: noteLines.map((line) => ({ ...line, corrects_line: 1 })),
  } satisfies StoredInvoice,
};
