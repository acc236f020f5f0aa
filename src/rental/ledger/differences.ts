// Whether the books agree: that every entry adds up to zero between the accounts of its kind, and that what was posted of each
// closed month is its statement. Computed from the lines alone, so it finds whatever the database was made to accept. Used by
// a maintenance job, whose result is a metric, and by the tests' own books.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

/** The row of `settings` with how many differences there were. */
const setting = "ledger-differences";

/** How many lines of differences are told. */
const most = 100;

/** One line for each difference, the first 100; empty: the books agree. */
export async function ledgerDifferences(db: Database): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    select format('entry %s: %s lines add up to %s', e.id, count(l.entry_id), coalesce(sum(l.amount_micro_cents), 0)) as line
    from ledger_entries e left join ledger_lines l on l.entry_id = e.id
    group by e.id
    having count(l.entry_id) <> 2 or sum(l.amount_micro_cents) <> 0 or count(*) filter (where l.ledger_account = 'balance') <> 1
  union all
    select format('account %s, %s of %s: posted %s, its statement says %s', account_id, kind, to_char(month, 'YYYY-MM'),
      coalesce(posted.amount, 0), coalesce(due.amount, 0))
    from (
      select e.account_id, e.month, e.kind, sum(l.amount_micro_cents) as amount
      from ledger_entries e join closed_months using (month) join ledger_lines l on l.entry_id = e.id and l.ledger_account = 'balance'
      group by 1, 2, 3
    ) posted full join (
      select account_id, month, kind, sum(amount) as amount
      from statement_lines s cross join lateral (values ('usage', -s.cost_micro_cents), ('credit', s.credit_micro_cents))
        as part (kind, amount)
      group by 1, 2, 3
    ) due using (account_id, month, kind)
    where coalesce(posted.amount, 0) <> coalesce(due.amount, 0)
  limit ${most}`.execute(db);
  return rows.map(({ line }) => line);
}

/** Finds the differences, and keeps their number for the metric. */
export async function checkLedger(db: Database): Promise<string[]> {
  const lines = await ledgerDifferences(db);
  await sql`
    insert into settings (name, value) values (${setting}, to_jsonb(${lines.length}::integer))
    on conflict (name) do update set value = excluded.value`.execute(db);
  return lines;
}

/** How many the last check found; undefined before the first one. */
export async function foundDifferences(db: Database): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`
    select (value #>> '{}')::integer as count from settings where name = ${setting}`.execute(db);
  return rows[0]?.count;
}
