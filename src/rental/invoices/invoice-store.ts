// Invoices: writes them, each with the next number of its series, and lists them. Used by issue.ts, credit-notes.ts and the
// control interface.
//
// Invariant: numbers have no gaps, because a number is given under the lock of its series in the transaction that writes the
// invoice, so an abort gives it back; the database refuses an invoice that does not follow the one before it. An invoice has
// the only one of its cause, holds all that it says, and never changes.

import { type RawBuilder, type Selectable, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InvoicesTable } from "../../database/tables/invoices.ts";
import {
  type Customer,
  type InvoiceKind,
  type InvoiceLine,
  type InvoiceSums,
  type InvoiceTax,
  invoiceKindNames,
  numberOf,
  type Seller,
} from "../../rules/invoices.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import type { Page } from "../paging.ts";
import { asUuid } from "../uuid.ts";

export interface Invoice {
  readonly id: string;
  readonly accountId: string;
  readonly kind: InvoiceKind;
  readonly number: string;
  /** The month that it is accounted to, such as 2026-03. */
  readonly month: string;
  /** Of a top-up. */
  readonly entryId: number | null;
  /** Of a credit note. */
  readonly corrects: { readonly id: string; readonly number: string } | null;
  readonly reason: string | null;
  readonly issuedAt: Date;
  /** Such as 2026-04-15; null: there is nothing to pay. */
  readonly dueOn: string | null;
  readonly currency: string;
  readonly sums: InvoiceSums;
  readonly tax: InvoiceTax;
  readonly seller: Seller;
  readonly customer: Customer;
  readonly lines: readonly InvoiceLine[];
}

export interface NewInvoice
  extends Pick<Invoice, "accountId" | "kind" | "currency" | "sums" | "tax" | "seller" | "customer" | "lines"> {
  readonly cause: string;
  /** What its number begins with. */
  readonly series: string;
  /** Such as 2026-03-01; undefined: that in which it is issued. */
  readonly firstDay?: string;
  readonly entryId?: number;
  readonly corrects?: { readonly id: string; readonly reason: string };
  /** Days until it is due. */
  readonly paymentDays?: number;
}

/** Undefined: there is one with this cause. Call it late: it blocks others of the series until the transaction ends. */
export async function writeInvoice(tx: Transaction, invoice: NewInvoice): Promise<Invoice | undefined> {
  const { series, cause, accountId, kind, sums, corrects } = invoice;
  await sql`insert into invoice_series (name, last) values (${series}, 0) on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ last: number }>`
    select last from invoice_series where name = ${series} for update`.execute(tx);
  const serial = (rows[0]?.last ?? 0) + 1;
  const known = await tx.selectFrom("invoices").select("id").where("cause", "=", cause).executeTakeFirst();
  if (known !== undefined) return undefined;
  const id = uuidv7();
  // Not before the invoice whose number it follows.
  const issuedAt = sql`greatest(now(), (select issued_at from invoices where series = ${series} and serial = ${serial - 1}))`;
  const { firstDay = null } = invoice;
  const paymentDays = sums.totalCents > 0 ? (invoice.paymentDays ?? null) : null;
  await sql`
    insert into invoices (id, account_id, kind, cause, series, serial, number, month, entry_id, corrects, reason, issued_at,
      due_on, currency, total_cents, net_cents, tax_cents, micro_cents, tax, seller, customer, lines)
    select ${id}::uuid, ${accountId}::uuid, ${kind}::text, ${cause}::text, ${series}::text, ${serial}::integer,
      ${numberOf(series, serial)}::text,
      coalesce(${firstDay}::date, date_trunc('month', at.at at time zone 'UTC')::date), ${invoice.entryId ?? null}::bigint,
      ${corrects?.id ?? null}::uuid, ${corrects?.reason ?? null}::text, at.at,
      (at.at at time zone 'UTC')::date + ${paymentDays}::integer, ${invoice.currency}::text, ${sums.totalCents}::bigint,
      ${sums.netCents}::bigint, ${sums.taxCents}::bigint, ${String(sums.microCents)}::numeric,
      ${JSON.stringify(invoice.tax)}::jsonb, ${JSON.stringify(invoice.seller)}::jsonb,
      ${JSON.stringify(invoice.customer)}::jsonb, ${JSON.stringify(invoice.lines)}::jsonb
    from (select ${issuedAt} as at) at`.execute(tx);
  await sql`update invoice_series set last = ${serial} where name = ${series}`.execute(tx);
  const written = await readInvoice(tx, id, undefined);
  await recordEvents(tx, [{ accountId, type: "invoice.issued", subjectId: id, data: dataOf(written) }]);
  return written;
}

function dataOf({ id, accountId, number, kind, month, sums, currency, dueOn }: Invoice) {
  return {
    ...{ invoice_id: id, account_id: accountId, number, kind, month },
    ...{ total_cents: sums.totalCents, currency, due_on: dueOn },
  };
}

/** `accountId`: whose it has to be; undefined: of all accounts. Throws RentalError unknown-object. */
export async function readInvoice(db: Database, id: string, accountId: string | undefined): Promise<Invoice> {
  let query = invoices(db).where("i.id", "=", asUuid(id));
  if (accountId !== undefined) query = query.where("i.account_id", "=", accountId);
  const row = await query.executeTakeFirst();
  if (row === undefined) throw new RentalError("unknown-object", { what: "invoice", ids: [id] });
  return fromRow(row);
}

export interface InvoiceFilter {
  /** Undefined: all. */
  readonly accountId: string | undefined;
  readonly kind?: InvoiceKind | undefined;
  /** Such as 2026-03-01. */
  readonly firstDay?: string | undefined;
}

/** Newest first, unless the page says otherwise. */
export async function listInvoices(
  db: Database,
  { accountId, kind, firstDay }: InvoiceFilter,
  page: Page,
): Promise<Invoice[]> {
  let query = invoices(db);
  if (accountId !== undefined) query = query.where("i.account_id", "=", accountId);
  if (kind !== undefined) query = query.where("i.kind", "=", kind);
  if (firstDay !== undefined) query = query.where("i.month", "=", firstDay);
  const { descending = true, limit, after } = page;
  query = query.orderBy("i.id", descending ? "desc" : "asc");
  if (after !== undefined) query = query.where("i.id", descending ? "<" : ">", after);
  if (limit !== undefined) query = query.limit(limit);
  return (await query.execute()).map(fromRow);
}

/** The credit notes of an invoice, oldest first. */
export async function creditNotesOf(db: Database, id: string): Promise<Invoice[]> {
  return (await invoices(db).where("i.corrects", "=", id).orderBy("i.id").execute()).map(fromRow);
}

const text = (column: RawBuilder<unknown>, form: string) => sql<string | null>`to_char(${column}, ${form})`;

function invoices(db: Database) {
  return db
    .selectFrom("invoices as i")
    .leftJoin("invoices as corrected", "corrected.id", "i.corrects")
    .selectAll("i")
    .select("corrected.number as corrected_number")
    .select([
      text(sql`i.month`, "YYYY-MM").as("month_name"),
      text(sql`i.due_on`, "YYYY-MM-DD").as("due"),
      sql<string>`i.micro_cents::text`.as("micro_cents_text"),
    ]);
}

type Row = Selectable<InvoicesTable> & {
  corrected_number: string | null;
  month_name: string | null;
  due: string | null;
  micro_cents_text: string;
};

/** The JSON is as `writeInvoice` wrote it. */
function fromRow(row: Row): Invoice {
  const kind = invoiceKindNames.find((one) => one === row.kind);
  if (kind === undefined) throw new Error(`BUG: an invoice has the unknown kind ${row.kind}`);
  return {
    id: row.id,
    accountId: row.account_id,
    kind,
    number: row.number,
    month: row.month_name ?? "",
    entryId: row.entry_id,
    corrects: row.corrects === null ? null : { id: row.corrects, number: row.corrected_number ?? "" },
    reason: row.reason,
    issuedAt: row.issued_at,
    dueOn: row.due,
    currency: row.currency,
    sums: {
      totalCents: row.total_cents,
      netCents: row.net_cents,
      taxCents: row.tax_cents,
      microCents: BigInt(row.micro_cents_text),
    },
    tax: row.tax as InvoiceTax,
    seller: row.seller as Seller,
    customer: row.customer as Customer,
    lines: row.lines as InvoiceLine[],
  };
}

/** In UTC, of the transaction. */
export async function yearNow(tx: Transaction): Promise<number> {
  const { rows } = await sql<{
    year: number;
  }>`select extract(year from now() at time zone 'UTC')::integer as year`.execute(tx);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: a select without a table gave no row");
  return row.year;
}
