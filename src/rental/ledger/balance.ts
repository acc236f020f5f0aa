// What accounts have to spend: the sum of their entries, less the usage that is not posted yet. Used by the control
// interface, by-hand.ts, funds/ and the tests that compare it with a model.

import { type RawBuilder, sql } from "kysely";
import type { Database } from "../../database/connect.ts";
import { costOf, secondsUntil } from "../billing/cost-sql.ts";
import { creditOf } from "../billing/credits.ts";
import { type Month, openTime } from "../billing/statements.ts";
import { spansOf } from "../billing/usage.ts";
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
  const { rows } = await sql<{ posted: string; pending: string; at: Date }>`
    select sums.posted::text as posted, sums.pending::text as pending, now() as at
    from (select ${asUuid(accountId)}::uuid as id) a cross join lateral ${balanceOf(open, sql`a.id`)} sums`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error("BUG: sums without groups gave no row");
  const [posted, pending] = [BigInt(row.posted), BigInt(row.pending)];
  return { microCents: posted - pending, postedMicroCents: posted, pendingMicroCents: pending, at: row.at };
}

/**
 * One row of `posted` and `pending`, in micro-cents, of the account with this id: the balance is their difference. For a
 * lateral join. `open`: the time that is not in closed months.
 */
export function balanceOf({ from }: Pick<Month, "from">, account: RawBuilder<unknown>): RawBuilder<unknown> {
  const [end, start] = [secondsUntil(sql<Date>`now()`), secondsUntil(sql<Date>`least(now(), ${from}::timestamptz)`)];
  return sql`(
    select
      (select coalesce(sum(l.amount_micro_cents), 0) from ledger_lines l
        where l.account_id = ${account} and l.ledger_account = 'balance') as posted,
      (select coalesce(sum(${costOf(end)} - ${costOf(start)} - ${creditOf("cost_micro_cents", { from })}), 0)
        from billing_spans s where s.account_id = ${account} and ${spansOf({ from })})
      + (select coalesce(sum(l.amount_micro_cents), 0)
        from ledger_entries e join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
        where e.account_id = ${account} and e.month >= (${from}::timestamptz at time zone 'UTC')::date) as pending)`;
}
