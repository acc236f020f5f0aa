// What an accountant needs of a closed month, over all accounts: each entry of the ledger, and each invoice. Used by the
// control interface.
//
// Invariant: of a closed month it is always the same, because neither changes. An entry belongs to its month of usage, or
// else to that in which it was made; an invoice as rental/invoices/invoice-store.ts says.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { asLedgerKind, ledgerKinds } from "../../rules/ledger.ts";
import { RentalError } from "../errors.ts";
import { type Invoice, listInvoices } from "./invoice-store.ts";
import { isIssuing } from "./issue.ts";

export interface AccountingEntry {
  readonly id: number;
  readonly accountId: string;
  readonly accountName: string;
  readonly kind: string;
  /** The account of the ledger besides the balance. */
  readonly against: string;
  readonly amountMicroCents: string;
  readonly reference: string | null;
  readonly reason: string | null;
  readonly createdAt: Date;
}

/** How many are read at once. */
const atOnce = 1000;

/** `month`: such as 2026-03. Throws RentalError conflict if it is not closed, or its invoices are being issued. */
export async function requireAccounted(db: Database, month: string): Promise<void> {
  const first = `${month}-01`;
  const { rows } = await sql`select from closed_months where month = ${first}::date`.execute(db);
  if (rows.length === 0) {
    const message = `The month ${month} is not closed.`;
    throw new RentalError("conflict", { message, suggestion: "Wait until two hours after its end." });
  }
  if (!(await isIssuing(db, first))) return;
  const message = `The invoices of ${month} are being issued.`;
  throw new RentalError("conflict", { message, suggestion: "Retry in ten minutes." });
}

/** In order, some at a time. */
export async function* accountingEntries(db: Database, month: string): AsyncGenerator<AccountingEntry[]> {
  for (let after = 0; ; ) {
    const { rows } = await sql<{
      id: number;
      account_id: string;
      name: string;
      kind: string;
      amount: string;
      reference: string | null;
      reason: string | null;
      created_at: Date;
    }>`
      select e.id, e.account_id, a.name, e.kind, l.amount_micro_cents::text as amount, e.reference, e.reason, e.created_at
      from ledger_entries e join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
        join accounts a on a.id = e.account_id
      where coalesce(e.month, date_trunc('month', e.created_at at time zone 'UTC')::date) = ${`${month}-01`}::date
        and e.id > ${after}
      order by e.id limit ${atOnce}`.execute(db);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield rows.map((row) => ({
      ...{ id: row.id, accountId: row.account_id, accountName: row.name, kind: row.kind },
      ...{ against: ledgerKinds[asLedgerKind(row.kind)].against, amountMicroCents: row.amount },
      ...{ reference: row.reference, reason: row.reason, createdAt: row.created_at },
    }));
  }
}

/** In order, some at a time. */
export async function* accountingInvoices(db: Database, month: string): AsyncGenerator<Invoice[]> {
  const filter = { accountId: undefined, firstDay: `${month}-01` };
  for (let after: string | undefined; ; ) {
    const found: Invoice[] = await listInvoices(db, filter, { after, limit: atOnce, descending: false });
    const last = found.at(-1);
    if (last === undefined) return;
    after = last.id;
    yield found;
  }
}
