// What an invoice says in its PDF: which texts, in which order. Used by pdf.ts.
//
// Invariant: no text has a character that would change how others are read, such as one that turns the direction of writing.

import type { Invoice } from "../../../rental/invoices/invoice-store.ts";
import { type Customer, type InvoiceLine, invoiceKinds, type Seller } from "../../../rules/invoices.ts";

export interface Paragraph {
  readonly text: string;
  readonly isBold?: boolean;
}

/** One line, without control characters and marks of direction. */
export function clean(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ").trim();
}

/** 1,234.56, or -0.05. */
export function amount(cents: number): string {
  const [whole = "", part = ""] = (Math.abs(cents) / 100).toFixed(2).split(".");
  return `${cents < 0 ? "-" : ""}${whole.replaceAll(/\B(?=(\d{3})+$)/g, ",")}.${part}`;
}

/** Below the name. */
export function partyLines({ address, country, tax_id: taxId }: Customer | Seller): Paragraph[] {
  const lines = [...address, ...(country === null ? [] : [country]), ...(taxId === null ? [] : [`Tax id: ${taxId}`])];
  return lines.map((text) => ({ text: clean(text) }));
}

/** Pairs of a name and a value. */
export function factsOf(invoice: Invoice): [name: string, value: string][] {
  const { kind, number, issuedAt, month, dueOn, corrects, reason } = invoice;
  return [
    ["Number", number],
    ["Date", issuedAt.toISOString().slice(0, 10)],
    ...(kind === "usage" ? [["Month", `${month} (UTC)`] as [string, string]] : []),
    ...(dueOn === null ? [] : [["Due on", dueOn] as [string, string]]),
    ...(corrects === null ? [] : [["Corrects", corrects.number] as [string, string]]),
    ...(reason === null ? [] : [["Reason", clean(reason)] as [string, string]]),
  ];
}

interface Column {
  readonly title: string;
  /** Of the width. */
  readonly share: number;
  readonly align: "left" | "right";
  readonly of: (line: InvoiceLine) => string;
}

export function columnsOf({ kind, currency }: Invoice): readonly Column[] {
  const right = { align: "right" } as const;
  const hours = ({ seconds }: InvoiceLine) => (seconds === null ? "" : (seconds / 3600).toFixed(2));
  const price = ({ price_cents_per_hour: cents, discount_basis_points: discount }: InvoiceLine) =>
    cents === null ? "" : `${amount(cents)}${discount ? ` - ${discount / 100} %` : ""}`;
  const used: Column[] = [
    { title: "Hours", share: 0.14, ...right, of: hours },
    { title: "Price per hour", share: 0.2, ...right, of: price },
  ];
  return [
    { title: "Item", share: kind === "usage" ? 0.34 : 0.68, align: "left", of: ({ text }) => clean(text) },
    ...(kind === "usage" ? used : []),
    { title: `Net ${currency}`, share: 0.16, ...right, of: ({ net_cents: cents }) => amount(cents) },
    { title: `Total ${currency}`, share: 0.16, ...right, of: ({ total_cents: cents }) => amount(cents) },
  ];
}

export function sumsOf({ sums, tax, currency }: Invoice) {
  const named = (name: string, cents: number, isBold = false) => ({
    name,
    amount: `${amount(cents)} ${currency}`,
    isBold,
  });
  return [
    named("Net", sums.netCents),
    named(`${clean(tax.label)} ${tax.basis_points / 100} %`, sums.taxCents),
    named("Total", sums.totalCents, true),
  ];
}

/** Sentences below the sums. */
export function textsOf({ kind, tax, sums, dueOn, corrects, month }: Invoice): string[] {
  const exact = sums.microCents - BigInt(sums.totalCents) * 1_000_000n;
  return [
    ...(tax.note === null ? [] : [clean(tax.note)]),
    ...(kind === "usage" ? [`Prices include tax. The statement of ${month} lists each instance.`] : []),
    ...(exact === 0n
      ? []
      : [
          "Usage is counted in millionths of a cent, and the total is rounded to a cent; so are the sums up to each line.",
        ]),
    ...(dueOn === null || sums.totalCents <= 0 ? [] : [`Pay by ${dueOn} what your balance does not cover.`]),
    ...(kind === "top_up" ? [`${invoiceKinds.top_up.meaning}`] : []),
    ...(corrects === null ? [] : [`This takes back what is listed of ${corrects.number}.`]),
  ];
}
