// Budget alerts: an account is told when its usage of a calendar month (UTC) reaches an amount. Used by the control interface
// and, for checkBudgets, by the maintenance job of spend limits.
//
// Invariant: each is told once a month, by any number of replicas, because its notice is in the transaction of its event.
// One that is made after its amount was passed is told by the next check. Usage that becomes less later takes nothing back.

import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import type { Database, Transaction } from "../../database/connect.ts";
import { inTransaction } from "../../database/transaction.ts";
import { mostBudgetAlerts } from "../../rules/account-limits.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import { isOfThisMonth, spentThisMonth } from "../billing/spent.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { asUuid } from "../uuid.ts";

export interface BudgetAlert {
  readonly id: string;
  readonly amountCents: number;
  /** When this month's usage was found to have reached it; null: it was not. */
  readonly reachedAt: Date | null;
  readonly createdAt: Date;
}

/** The first day of this month, in UTC. */
const thisMonth = sql`date_trunc('month', now() at time zone 'UTC')::date`;

/** The account's, smallest amount first. */
export async function listBudgets(db: Database, accountId: string): Promise<BudgetAlert[]> {
  const { rows } = await sql<{ id: string; amount_cents: number; reached_at: Date | null; created_at: Date }>`
    select a.id, a.amount_cents, n.reached_at, a.created_at
    from budget_alerts a left join budget_notices n on n.alert_id = a.id and n.month = ${thisMonth}
    where a.account_id = ${accountId}
    order by a.amount_cents`.execute(db);
  return rows.map((row) => ({
    ...{ id: row.id, amountCents: row.amount_cents },
    ...{ reachedAt: row.reached_at, createdAt: row.created_at },
  }));
}

/** Throws RentalError duplicate, quota-exceeded. */
export async function createBudget(tx: Transaction, accountId: string, amountCents: number): Promise<BudgetAlert> {
  // Of several at once, each counts those before it.
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx);
  const present = await listBudgets(tx, accountId);
  if (present.some((one) => one.amountCents === amountCents)) {
    const message = "Your account has a budget alert of this amount.";
    throw new RentalError("duplicate", { what: "budget alert", field: "amount_cents", message });
  }
  if (present.length >= mostBudgetAlerts) {
    const quota = { what: "budget_alerts", limit: mostBudgetAlerts, used: present.length, requested: 1 };
    throw new RentalError("quota-exceeded", quota);
  }
  const row = await tx
    .insertInto("budget_alerts")
    .values({ id: uuidv7(), account_id: accountId, amount_cents: amountCents })
    .returning(["id", "created_at"])
    .executeTakeFirstOrThrow();
  return { id: row.id, amountCents, reachedAt: null, createdAt: row.created_at };
}

/** Throws RentalError unknown-object. */
export async function deleteBudget(tx: Transaction, accountId: string, id: string): Promise<void> {
  const deleted = await tx
    .deleteFrom("budget_alerts")
    .where("id", "=", asUuid(id))
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (deleted.numDeletedRows !== 1n) throw new RentalError("unknown-object", { what: "budget alert", ids: [id] });
}

const cents = sql.lit(Number(microCentsPerCent));
const notToldYet = sql<boolean>`not exists (
  select from budget_notices n where n.alert_id = a.id and n.month = ${thisMonth})`;
/** What the account of a row `w` has used this month, in micro-cents. */
const used = sql`(
  select ${spentThisMonth(sql<boolean>`c.account_id = w.account_id`)} as used
  from billing_spans s where s.account_id = w.account_id and ${isOfThisMonth})`;

/** Tells of all that are reached. */
export async function checkBudgets(db: Database): Promise<void> {
  const { rows } = await sql<{ account_id: string }>`
    select w.account_id from (
      select a.account_id, min(a.amount_cents) as least from budget_alerts a where ${notToldYet} group by a.account_id) w
    cross join lateral ${used} cost
    where cost.used >= w.least::numeric * ${cents}
    order by w.account_id`.execute(db);
  for (const { account_id: accountId } of rows) await inTransaction(db, (tx) => tellReached(tx, accountId));
}

/** In one transaction, so that several amounts that are reached at once are one email. */
async function tellReached(tx: Transaction, accountId: string): Promise<void> {
  const { rows } = await sql<{ id: string; amount_cents: number; month: string; used: string }>`
    with due as (
      select a.id, a.amount_cents, cost.used
      from (select ${accountId}::uuid as account_id) w
      cross join lateral ${used} cost
      join budget_alerts a on a.account_id = w.account_id and cost.used >= a.amount_cents::numeric * ${cents}
      where ${notToldYet}
      order by a.id
      -- None is deleted until its notice is there.
      for key share of a
    ), told as (
      insert into budget_notices (alert_id, month) select id, ${thisMonth} from due
      on conflict do nothing
      returning alert_id)
    select due.id, due.amount_cents, due.used::text as used, to_char(now() at time zone 'UTC', 'YYYY-MM') as month
    from due join told on told.alert_id = due.id
    order by due.amount_cents`.execute(tx);
  await recordEvents(
    tx,
    rows.map((row) => ({
      accountId,
      type: "budget.reached",
      subjectId: row.id,
      data: {
        ...{ account_id: accountId, budget_alert_id: row.id, month: row.month },
        ...{ amount_cents: row.amount_cents, used_micro_cents: row.used },
      },
    })),
  );
}
