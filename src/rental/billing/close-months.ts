// Closes months: writes the statements of one that is over, for good. One of the reconciler's chores; may be done twice at
// once or cut off anywhere, for a month is closed in one transaction and the database lets it happen once.
//
// Why nothing of a closed month is missing. Spans begin and end at the time of the transaction that writes them, so one
// that began in the month may still write into it. Three things together keep that from happening after the closing:
//
//   1. A month is left alone while a transaction of this database that began in it is running (pg_stat_activity). So
//      whoever asked for something in the month has got it, with the month's own time, before the month is closed.
//   2. The lock on billing_spans waits for whoever has written a span and not committed, and holds up the next ones.
//      What is read under it is everything that was written.
//   3. Whoever writes after it sees, in the snapshot that its statement takes after the lock was given back, that the
//      month is closed, and billing_now() puts its time behind the month. That holds also for what 1. cannot see (a
//      session of another role, a moment between looking and locking) and for a clock that is set back.
//
// An hour has to pass first, so that a clock that is wrong for a short while closes no month that goes on.

import { sql } from "kysely";
import pg from "pg";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { computedLines, firstDay, monthOf } from "./statements.ts";

/** Closes every month that can be closed, oldest first. Their names, such as 2026-03. */
export async function closeMonths(db: Database): Promise<string[]> {
  const closed: string[] = [];
  for (;;) {
    const month = await inTransaction(db, closeNext).catch((error: unknown) => {
      if (isLockTimeout(error)) return undefined;
      throw error;
    });
    if (month === undefined) return closed;
    closed.push(month);
  }
}

/** The month that was closed; undefined where none is ready, or another server closes it at this moment. */
async function closeNext(tx: Transaction): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    with next as (
      select coalesce(
        (select max(month) + interval '1 month' from closed_months),
        (select date_trunc('month', min(started_at) at time zone 'UTC') from billing_spans)) as month
    ), ends as (
      select month, (month + interval '1 month') at time zone 'UTC' as ends_at from next
    )
    select to_char(month, 'YYYY-MM') as name from ends
    where ends_at + interval '1 hour' <= now() and not exists (
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
        and xact_start < ends_at)`.execute(tx);
  const [next] = rows;
  if (next === undefined) return undefined;
  const month = monthOf(next.name);
  if (month === undefined) throw new Error(`BUG: ${next.name} is no month`);
  // It may have a month of everybody's spans to sum up.
  await sql`set local statement_timeout = 0`.execute(tx);
  // Not for long: while it waits, whoever wants to write a span waits behind it. Long enough that PostgreSQL makes a
  // vacuum of the table give way, which it does after one second.
  await sql`set local lock_timeout = '2s'`.execute(tx);
  await sql`lock table billing_spans in share mode`.execute(tx);
  const { numAffectedRows } = await sql`
    insert into closed_months (month) values (${firstDay(month)}::date) on conflict do nothing`.execute(tx);
  if (numAffectedRows !== 1n) return undefined;
  await sql`
    insert into statement_lines (month, account_id, instance_id, instance_name, instance_type, region, seconds,
      price_cents_per_hour, discount_basis_points, coupon_code, cost_micro_cents)
    select ${firstDay(month)}::date, lines.* from ${computedLines(month, undefined)} lines`.execute(tx);
  return month.name;
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55P03";
}
