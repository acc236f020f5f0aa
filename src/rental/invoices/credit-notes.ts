// Credit notes: correct an invoice that never changes, in whole or in part, with a number of their own. They change no
// balance: the operator adjusts it, or pays back. Used by the control interface.
//
// Invariant: all credit notes of an invoice take back no more than it, and no more of a line than the line; the lock of its
// row orders them, and the database refuses more.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { type InvoiceLine, type InvoiceSettings, seriesOf, takenBack } from "../../rules/invoices.ts";
import { invalid, RentalError } from "../errors.ts";
import { asUuid } from "../uuid.ts";
import { creditNotesOf, type Invoice, readInvoice, writeInvoice, yearNow } from "./invoice-store.ts";

export interface CreditNoteOrder {
  readonly invoiceId: string;
  readonly reason: string;
  /** Which lines, counted from 1, and how much of each, in cents. Undefined: all that is left of the invoice. */
  readonly lines?: readonly { readonly line: number; readonly amountCents: number }[] | undefined;
}

/** Throws RentalError unknown-object, conflict, invalid-parameters. */
export async function issueCreditNote(
  tx: Transaction,
  settings: InvoiceSettings | undefined,
  { invoiceId, reason, lines }: CreditNoteOrder,
): Promise<Invoice> {
  if (settings === undefined) {
    const message = "This service is not configured to issue invoices.";
    throw new RentalError("conflict", { message, suggestion: "Set `invoices` in lessor.yaml and restart." });
  }
  await sql`select id from invoices where id = ${asUuid(invoiceId)} for update`.execute(tx);
  const invoice = await readInvoice(tx, invoiceId, undefined);
  if (invoice.kind === "credit_note" || invoice.sums.totalCents <= 0) {
    const message = "Only an invoice with a total above zero can be corrected by a credit note.";
    throw new RentalError("conflict", { message, suggestion: "Correct the balance instead." });
  }
  const notes = await creditNotesOf(tx, invoice.id);
  const back = lines === undefined ? allLeft(invoice, notes) : parts(invoice, notes, lines);
  const sum = (field: "total_cents" | "net_cents" | "tax_cents") => back.reduce((all, one) => all + one[field], 0);
  const totalCents = sum("total_cents");
  const left = notes.reduce((rest, { sums }) => rest + sums.totalCents, invoice.sums.totalCents);
  if (totalCents >= 0 || left + totalCents < 0) throw tooMuch(invoice, left);
  const note = await writeInvoice(tx, {
    ...{ accountId: invoice.accountId, kind: "credit_note", cause: `credit_note/${invoice.id}/${notes.length + 1}` },
    series: seriesOf(settings, "credit_note", await yearNow(tx)),
    ...{ currency: invoice.currency, tax: invoice.tax, seller: settings.seller, customer: invoice.customer },
    ...{ lines: back, corrects: { id: invoice.id, reason } },
    sums: {
      totalCents,
      netCents: sum("net_cents"),
      taxCents: sum("tax_cents"),
      microCents: BigInt(totalCents) * microCentsPerCent,
    },
  });
  if (note === undefined) throw new Error("BUG: the lock of the invoice orders its credit notes");
  return note;
}

/** `place`: counted from 1. */
function earlier(notes: readonly Invoice[], place: number): InvoiceLine[] {
  return notes.flatMap(({ lines }) => lines.filter(({ corrects_line: line }) => line === place));
}

function allLeft({ lines, tax }: Invoice, notes: readonly Invoice[]): InvoiceLine[] {
  return lines.flatMap((line, index) => {
    const back = takenBack(line, earlier(notes, index + 1), tax.basis_points);
    const isEmpty = back === undefined || (back.total_cents === 0 && back.net_cents === 0);
    return isEmpty ? [] : [{ ...line, ...back, seconds: null, corrects_line: index + 1 }];
  });
}

function parts(
  invoice: Invoice,
  notes: readonly Invoice[],
  asked: NonNullable<CreditNoteOrder["lines"]>,
): InvoiceLine[] {
  if (new Set(asked.map(({ line }) => line)).size !== asked.length) throw invalid("lines", "Must name each line once.");
  return asked.map(({ line: place, amountCents }) => {
    const line = invoice.lines[place - 1];
    if (line === undefined) throw invalid("lines", `The invoice has no line ${place}.`);
    const before = earlier(notes, place);
    const back = takenBack(line, before, invoice.tax.basis_points, amountCents);
    if (back === undefined) {
      const left = before.reduce((rest, { total_cents: cents }) => rest + cents, line.total_cents);
      throw new RentalError("conflict", {
        message: `Line ${place} has ${Math.max(left, 0)} cents left that can be taken back.`,
        suggestion: "Take back less of it.",
      });
    }
    return { ...line, ...back, seconds: null, corrects_line: place };
  });
}

function tooMuch({ number }: Invoice, left: number): RentalError {
  const message = `The invoice ${number} has ${left} cents left that can be taken back.`;
  return new RentalError("conflict", { message, suggestion: "Take back less, or see its credit notes." });
}
