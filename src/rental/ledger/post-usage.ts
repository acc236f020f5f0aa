// Posts usage to the ledger: for each account and month (UTC) what the usage costs, and what does not have to be paid of it,
// less what was posted before. So what changes afterwards comes as further entries. Used by a maintenance job for whole
// days, and by billing/close-months.ts for the whole month, in the transaction that closes it.
//
// Invariant: the entries of a closed month add up to its statement, of every account. Usage is posted by one transaction at
// a time, under a lock that comes before all others, so what it computes and what was posted fit together; entries of an
// account and month are numbered, so that the database refuses a second one of the same difference.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { ledgerKinds } from "../../rules/ledger.ts";
import { firstDay, linesOf, type Month, recentMonths } from "../billing/statements.ts";
import { databaseNow } from "../billing/usage.ts";

const msPerDay = 86_400_000;

/**
 * Posts the usage of all accounts until the start of this day (UTC): also of the last closed month, which a server of a
 * version without a ledger might have closed. Returns how many entries.
 */
export async function postUsage(db: Database): Promise<number> {
  const now = await databaseNow(db);
  const today = new Date(Math.floor(now.getTime() / msPerDay) * msPerDay);
  let posted = 0;
  for (const month of await recentMonths(db)) {
    const to = month.to < today ? month.to : today;
    if (to <= month.from) continue;
    posted += await inTransaction(db, async (tx) => {
      await lockPosting(tx);
      return postMonth(tx, { ...month, to });
    });
  }
  return posted;
}

/** Waits until no other transaction posts usage. To be called before locks of spans. */
export async function lockPosting(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('usage of the ledger', 0))`.execute(tx);
}

/**
 * Posts the usage of the month until its `to`, which can be earlier than its end; what was posted until later stays as it
 * is. Returns how many entries. The caller has `lockPosting`.
 */
export async function postMonth(tx: Transaction, month: Month): Promise<number> {
  await sql`set local statement_timeout = 0`.execute(tx);
  // No posting covers more than its month, whatever became of the clock since.
  const endOf = sql`((${firstDay(month)}::date + interval '1 month') at time zone 'UTC')`;
  const { numAffectedRows = 0n } = await sql`
    with used as (
      select account_id, -sum(cost) as usage, sum(credit) as credit from ${await linesOf(tx, month, undefined)} lines group by 1
    ), wanted as (
      select account_id, 'usage' as kind, usage as amount from used union all select account_id, 'credit', credit from used
    ), posted as (
      select e.account_id, e.kind, sum(l.amount_micro_cents) as amount, count(*) as entries, max(e.until) as until
      from ledger_entries e join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
      where e.month = ${firstDay(month)}::date
      group by 1, 2
    ), missing as (
      select account_id, kind, coalesce(w.amount, 0) - coalesce(p.amount, 0) as amount, coalesce(p.entries, 0) as entries
      from wanted w full join posted p using (account_id, kind)
      where coalesce(w.amount, 0) <> coalesce(p.amount, 0) and coalesce(p.until <= ${month.to} or ${month.to} >= ${endOf}, true)
    ), entries as (
      insert into ledger_entries (account_id, kind, cause, month, until)
      select account_id, kind, concat_ws('/', kind, account_id, ${firstDay(month)}::text, entries + 1), ${firstDay(month)}::date,
        ${month.to}::timestamptz
      from missing order by account_id, kind desc
      on conflict (cause) do nothing
      returning id, account_id, kind
    )
    insert into ledger_lines (entry_id, account_id, kind, ledger_account, amount_micro_cents)
    select e.id, e.account_id, e.kind, side.ledger_account, side.factor * missing.amount
    from entries e join missing using (account_id, kind) join (values
      ('usage', 'balance', 1), ('usage', ${sql.lit(ledgerKinds.usage.against)}, -1),
      ('credit', 'balance', 1), ('credit', ${sql.lit(ledgerKinds.credit.against)}, -1)
    ) side (kind, ledger_account, factor) on side.kind = e.kind`.execute(tx);
  return Number(numAffectedRows) / 2;
}
