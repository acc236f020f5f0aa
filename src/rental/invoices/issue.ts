// Issues the invoices that are missing: one for the usage of each account in each closed month, and a receipt for each
// top-up, which it corrects when its money moves. A maintenance job; it can run twice at once or be interrupted anywhere, because each invoice is written in one
// transaction, and the database allows one of its cause.
//
// Since when: `invoicing` has the time at which the service first ran with settings of invoices. Months that were closed
// before, and top-ups from before, get none. A replica that starts without these settings removes it, so what happens until
// they are back gets none either.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import {
  centsOf,
  type ExactLine,
  type InvoiceKind,
  type InvoiceSettings,
  inCents,
  seriesOf,
  taxOf,
} from "../../rules/invoices.ts";
import { customerOf } from "./billing-details.ts";
import { type Invoice, type NewInvoice, writeInvoice, yearNow } from "./invoice-store.ts";
import { correctReceipts, movedMoney } from "./taken-back.ts";

/** Called when a replica starts. Undefined: no invoices are issued. */
export async function keepInvoicing(db: Database, settings: InvoiceSettings | undefined): Promise<void> {
  if (settings === undefined) await db.deleteFrom("invoicing").execute();
  else await sql`insert into invoicing default values on conflict do nothing`.execute(db);
}

/** Returns how many it issued. */
export async function issueInvoices(db: Database, settings: InvoiceSettings, signal?: AbortSignal): Promise<number> {
  let issued = 0;
  for (const { month } of await monthsToDo(db)) {
    for (const one of await usageToDo(db, month)) {
      if (signal?.aborted === true) return issued;
      if ((await inTransaction(db, (tx) => issueUsage(tx, settings, one))) !== undefined) issued += 1;
    }
    await sql`update invoicing set done_month = greatest(done_month, ${month}::date)`.execute(db);
  }
  for (const entry of await topUpsToDo(db)) {
    if (signal?.aborted === true) return issued;
    if ((await inTransaction(db, (tx) => issueReceipt(tx, settings, entry))) !== undefined) issued += 1;
  }
  for (const moved of await movedMoney(db)) {
    if (signal?.aborted === true) return issued;
    issued += await inTransaction(db, (tx) => correctReceipts(tx, settings, moved));
  }
  return issued;
}

/** Whether an invoice of this month, of a top-up or its correction is still to be issued. `month`: its first day. */
export async function isIssuing(db: Database, month: string): Promise<boolean> {
  const months = await monthsToDo(db);
  return (
    months.some((one) => one.month === month) || (await topUpsToDo(db)).length > 0 || (await movedMoney(db)).length > 0
  );
}

interface MonthToDo {
  /** Its first day. */
  readonly month: string;
}

async function monthsToDo(db: Database): Promise<readonly MonthToDo[]> {
  const { rows } = await sql<MonthToDo>`
    select to_char(c.month, 'YYYY-MM-DD') as month
    from closed_months c join invoicing v on c.closed_at >= v.since and c.month > coalesce(v.done_month, '-infinity')
    order by c.month`.execute(db);
  return rows;
}

interface UsageToDo extends MonthToDo {
  readonly account: string;
}

/** Of months whose total is less than half a cent there is none. */
async function usageToDo(db: Database, month: string): Promise<readonly UsageToDo[]> {
  const { rows } = await sql<{ account: string; due: string }>`
    select l.account_id as account, sum(l.cost_micro_cents - l.credit_micro_cents)::text as due
    from statement_lines l
    where l.month = ${month}::date
      and not exists (select from invoices where cause = 'usage/' || l.account_id || '/' || ${month}::text)
    group by 1 order by 1`.execute(db);
  return rows.filter(({ due }) => centsOf(BigInt(due)) !== 0).map(({ account }) => ({ account, month }));
}

interface TopUp {
  readonly id: number;
  readonly account: string;
  readonly reference: string;
  readonly amount: string;
}

async function topUpsToDo(db: Database): Promise<readonly TopUp[]> {
  const { rows } = await sql<TopUp>`
    select e.id, e.account_id as account, e.reference, l.amount_micro_cents::text as amount
    from invoicing v join ledger_entries e on e.kind = 'top_up' and e.created_at >= v.since
      join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
    where not exists (select from invoices i where i.entry_id = e.id)
    order by e.id`.execute(db);
  return rows;
}

const plainLine = { seconds: null, price_cents_per_hour: null, discount_basis_points: null } as const;

async function issueUsage(tx: Transaction, settings: InvoiceSettings, { account, month }: UsageToDo) {
  const { rows } = await sql<{
    type: string;
    region: string;
    price: number;
    discount: number;
    seconds: number;
    cost: string;
    credit: string;
  }>`
    select instance_type as type, region, price_cents_per_hour as price, discount_basis_points as discount,
      sum(seconds) filter (where cost_micro_cents > 0)::bigint as seconds, sum(cost_micro_cents)::text as cost,
      sum(credit_micro_cents)::text as credit
    from statement_lines
    where month = ${month}::date and account_id = ${account} and (cost_micro_cents > 0 or credit_micro_cents > 0)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4`.execute(tx);
  const used = rows
    .filter(({ cost }) => cost !== "0")
    .map(({ type, region, seconds, price, discount, cost }) => ({
      ...{ text: `${type} in ${region}`, seconds, price_cents_per_hour: price, discount_basis_points: discount },
      microCents: BigInt(cost),
    }));
  const credit = rows.reduce((sum, row) => sum + BigInt(row.credit), 0n);
  const credits = credit === 0n ? [] : [{ ...plainLine, text: "Credits", microCents: -credit }];
  return issue(tx, settings, "usage", account, [...used, ...credits], {
    ...{ cause: `usage/${account}/${month}`, firstDay: month, paymentDays: settings.paymentDays },
  });
}

async function issueReceipt(tx: Transaction, settings: InvoiceSettings, { id, account, reference, amount }: TopUp) {
  const line = { ...plainLine, text: `Payment ${reference}`, microCents: BigInt(amount) };
  return issue(tx, settings, "top_up", account, [line], { cause: `top_up/${id}`, entryId: id });
}

/** Undefined: there is one. */
async function issue(
  tx: Transaction,
  settings: InvoiceSettings,
  kind: Exclude<InvoiceKind, "credit_note">,
  accountId: string,
  exact: readonly ExactLine[],
  more: Pick<NewInvoice, "cause" | "firstDay" | "entryId" | "paymentDays">,
): Promise<Invoice | undefined> {
  const customer = await customerOf(tx, accountId);
  const tax = taxOf(settings, kind, customer);
  const series = seriesOf(settings, kind, await yearNow(tx));
  const { seller, currency } = settings;
  return writeInvoice(tx, {
    accountId,
    kind,
    series,
    currency,
    tax,
    seller,
    customer,
    ...inCents(exact, tax.basis_points),
    ...more,
  });
}
