// Closes months: writes the final statements of past ones, and the usage to the ledger. A maintenance job; it can run twice
// at once or be interrupted anywhere, because a month is closed in one transaction and the database allows it once.
//
// Why a closed month is complete. Spans begin and end at the time of the transaction that writes them, so a transaction
// that began in the month might still write into it. Three things together prevent that after closing:
//
// 1. A month is not closed while a transaction that began in it is running (pg_stat_activity). So a request in the
// month is completed, with the month's time, before the month is closed.
//
// 2. The lock on spans and credits waits for their uncommitted writers, and blocks the next ones. Everything written is
// read under it.
//
// 3. Later writers see, in the snapshot after the lock was released, that the month is closed, and billing_now() moves
// their time behind the month. This also covers what 1. cannot see (a session of another role, the time between check
// and lock) and a clock that is set back.
//
// An hour must pass first, so that a briefly wrong clock does not close the current month.

import { sql } from "kysely";
import pg from "pg";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { lockPosting, postMonth } from "../ledger/post-usage.ts";
import { computedLines, firstDay, namedMonth } from "./statements.ts";

/** Closes every month that can be closed, oldest first. Returns their names, such as 2026-03. */
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

/** The closed month; undefined if none is ready, or another replica is closing it. */
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
  const month = namedMonth(next.name);
  await lockPosting(tx);
  // It sums up the spans of all accounts.
  await sql`set local statement_timeout = 0`.execute(tx);
  // Short, because writers of spans wait behind it. Long enough for PostgreSQL to interrupt a vacuum of the table,
  // which it does after one second.
  await sql`set local lock_timeout = '2s'`.execute(tx);
  await sql`lock table billing_spans, billing_credits in share mode`.execute(tx);
  const { numAffectedRows } = await sql`
    insert into closed_months (month) values (${firstDay(month)}::date) on conflict do nothing`.execute(tx);
  if (numAffectedRows !== 1n) return undefined;
  await sql`
    insert into statement_lines (month, account_id, instance_id, instance_name, instance_type, region, seconds,
      downtime_seconds, price_cents_per_hour, discount_basis_points, coupon_code, cost_micro_cents,
      credit_micro_cents, quantity)
    select ${firstDay(month)}::date, lines.* from ${computedLines(month, undefined)} lines`.execute(tx);
  await postMonth(tx, month);
  return month.name;
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === "55P03";
}
