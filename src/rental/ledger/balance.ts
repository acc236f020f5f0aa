// What accounts have to spend: the sum of their entries, less the usage that is not posted yet. Used by the control
// interface, by-hand.ts and the tests that compare it with a model.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { computedLines, openTime } from "../billing/statements.ts";
import { asUuid } from "../uuid.ts";

export interface Balance {
  /** As of `at`; below zero: the account owes it. */
  readonly microCents: bigint;
  /** The sum of the entries. */
  readonly postedMicroCents: bigint;
  /** What usage costs, less credits, so far as no entry has it. */
  readonly pendingMicroCents: bigint;
  readonly at: Date;
}

/** All of one snapshot. Of an unknown account: zero. */
export async function readBalance(db: Database, accountId: string): Promise<Balance> {
  const open = await openTime(db);
  const id = asUuid(accountId);
  const { rows } = await sql<{ posted: string; pending: string; at: Date }>`
    with posted as (
      select coalesce(sum(l.amount_micro_cents), 0) as sum,
        coalesce(sum(l.amount_micro_cents) filter (where e.month >= (${open.from}::timestamptz at time zone 'UTC')::date), 0) as open
      from ledger_lines l join ledger_entries e on e.id = l.entry_id
      where l.account_id = ${id} and l.ledger_account = 'balance'
    ), used as (select coalesce(sum(cost - credit), 0) as sum from ${computedLines(open, id)} lines)
    select posted.sum::text as posted, (used.sum + posted.open)::text as pending, now() as at from posted, used`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: sums without groups gave no row");
  const [posted, pending] = [BigInt(row.posted), BigInt(row.pending)];
  return { microCents: posted - pending, postedMicroCents: posted, pendingMicroCents: pending, at: row.at };
}
