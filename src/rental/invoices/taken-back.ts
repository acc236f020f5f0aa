// Corrects receipts of payments through a provider: a refund or a chargeback has credit notes, and money that came back has
// another receipt. Used by issue.ts; it can run twice at once or be interrupted anywhere, as all that is there.
//
// Invariant: of such a payment, its receipts less their credit notes are the money that is still there, but for what an
// operator took back by hand. A receipt of money that came back has customer and tax of the first one.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { type InvoiceSettings, inCents, seriesOf } from "../../rules/invoices.ts";
import { issueCreditNote } from "./credit-notes.ts";
import { creditNotesOf, type Invoice, readInvoice, writeInvoice, yearNow } from "./invoice-store.ts";

/** An entry whose receipts are not corrected yet. */
export interface MovedMoney {
  readonly id: number;
  readonly kind: string;
  /** The provider's id of the refund or dispute. */
  readonly reference: string;
  /** Above zero: it came back. */
  readonly cents: number;
  readonly paymentId: string;
  /** The receipt of the payment. */
  readonly receiptId: string;
}

/** In order. */
export async function movedMoney(db: Database): Promise<readonly MovedMoney[]> {
  const { rows } = await sql<MovedMoney>`
    select e.id, e.kind, e.reference, (l.amount_micro_cents / ${String(microCentsPerCent)}::numeric)::bigint as cents,
      t.payment_id as "paymentId", i.id as "receiptId"
    from invoicing v join ledger_entries e on e.kind in ('refund', 'chargeback', 'reversal') and e.created_at >= v.since
      join payments_taken_back t on t.id = e.reference
      join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
      join ledger_entries paid on paid.cause = 'top_up/payment/' || t.payment_id
      join invoices i on i.entry_id = paid.id
    where not exists (select from corrected_receipts c where c.entry_id = e.id)
    order by e.id`.execute(db);
  return rows;
}

/** Returns how many invoices it issued. */
export async function correctReceipts(tx: Transaction, settings: InvoiceSettings, moved: MovedMoney): Promise<number> {
  const { rows } = await sql`
    insert into corrected_receipts (entry_id, cents) values (${moved.id}, 0) on conflict do nothing returning 1`.execute(
    tx,
  );
  if (rows.length === 0) return 0;
  const { issued, cents } = await (moved.cents < 0 ? takeBack(tx, settings, moved) : giveBack(tx, settings, moved));
  await sql`update corrected_receipts set cents = ${cents} where entry_id = ${moved.id}`.execute(tx);
  return issued;
}

interface Corrected {
  readonly issued: number;
  readonly cents: number;
}

/** From the oldest receipt of the payment that has something left. */
async function takeBack(tx: Transaction, settings: InvoiceSettings, moved: MovedMoney): Promise<Corrected> {
  const reason = `${moved.kind === "refund" ? "Refund" : "Dispute"} ${moved.reference}`;
  let [issued, cents] = [0, 0];
  for (const receipt of await receiptsOf(tx, moved)) {
    const notes = await creditNotesOf(tx, receipt.id);
    const left = notes.reduce((rest, { sums }) => rest + sums.totalCents, receipt.sums.totalCents);
    const amountCents = Math.min(left, -moved.cents - cents);
    if (amountCents <= 0) continue;
    await issueCreditNote(tx, settings, { invoiceId: receipt.id, reason, lines: [{ line: 1, amountCents }] });
    issued += 1;
    cents += amountCents;
  }
  return { issued, cents };
}

/** As much as was taken back when it went. */
async function giveBack(tx: Transaction, settings: InvoiceSettings, moved: MovedMoney): Promise<Corrected> {
  const { rows } = await sql<{ cents: number }>`
    select c.cents from corrected_receipts c join ledger_entries e on e.id = c.entry_id
    where e.reference = ${moved.reference} and e.kind in ('refund', 'chargeback') and e.id < ${moved.id}
    order by e.id desc limit 1`.execute(tx);
  const cents = rows[0]?.cents ?? 0;
  if (cents === 0) return { issued: 0, cents };
  const { accountId, currency, tax, customer } = await readInvoice(tx, moved.receiptId, undefined);
  const plain = { seconds: null, price_cents_per_hour: null, discount_basis_points: null };
  const line = {
    ...plain,
    text: `Payment, returned by ${moved.reference}`,
    microCents: BigInt(cents) * microCentsPerCent,
  };
  await writeInvoice(tx, {
    ...{ accountId, kind: "top_up", cause: `top_up/${moved.id}`, entryId: moved.id, currency, tax, customer },
    ...{ seller: settings.seller, series: seriesOf(settings, "top_up", await yearNow(tx)) },
    ...inCents([line], tax.basis_points),
  });
  return { issued: 1, cents };
}

/** Oldest first, locked. */
async function receiptsOf(tx: Transaction, { receiptId, paymentId }: MovedMoney): Promise<Invoice[]> {
  const { rows } = await sql<{ id: string }>`
    select i.id from invoices i where i.id = ${receiptId} or i.entry_id in (
      select e.id from payments_taken_back t join ledger_entries e on e.kind = 'reversal' and e.reference = t.id
      where t.payment_id = ${paymentId})
    order by i.id for update`.execute(tx);
  return Promise.all(rows.map(({ id }) => readInvoice(tx, id, undefined)));
}
