// What was announced to accounts whose money is used up: when their instances are stopped and terminated. Used by run-out.ts,
// instances/apply-action.ts and the control interface.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { RentalError } from "../errors.ts";
import type { Instance } from "../instances/instance.ts";
import { isExhausted, readFunds } from "./funds.ts";

export interface Exhausted {
  readonly since: Date;
  /** Null: they are terminated without being stopped before. */
  readonly stopAt: Date | null;
  readonly terminateAt: Date;
  /** What the time has come for. */
  readonly due: "stop" | "terminate" | undefined;
}

/** Undefined: there is money, or nothing runs. */
export async function readExhausted(db: Database, accountId: string): Promise<Exhausted | undefined> {
  const { rows } = await sql<{
    since: Date;
    stop_at: Date | null;
    terminate_at: Date;
    due: "stop" | "terminate" | null;
  }>`
    select since, stop_at, terminate_at,
      case when terminate_at <= now() then 'terminate' when stop_at <= now() then 'stop' end as due
    from exhausted_balances where account_id = ${accountId}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  return { since: row.since, stopAt: row.stop_at, terminateAt: row.terminate_at, due: row.due ?? undefined };
}

export async function exhaustedAccounts(db: Database): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select account_id as id from exhausted_balances`.execute(db);
  return rows.map(({ id }) => id);
}

/** Throws RentalError conflict if one of these was stopped because there is no money, or would be: it cannot start now. */
export async function refuseStartWithoutMoney(tx: Transaction, instances: readonly Instance[]): Promise<void> {
  const paid = instances.filter((one) => one.reservationId === null && one.product.priceCentsPerHour > 0);
  const accounts = [...new Set(paid.map(({ accountId }) => accountId))];
  const { rows } = await sql<{ id: string }>`
    select account_id as id from exhausted_balances where account_id = any(${accounts}::uuid[]) and stop_at <= now()`.execute(
    tx,
  );
  if (rows.length === 0) return;
  const funds = await readFunds(tx, { accountIds: rows.map(({ id }) => id) });
  if (!funds.some(isExhausted)) return;
  throw new RentalError("conflict", {
    message: "The balance of the account is used up, so its instances stay stopped.",
    suggestion: "Add money, then start the instance.",
  });
}

/** Warnings of other days are not needed. */
export async function deleteOldBalanceNotices(db: Database): Promise<void> {
  await sql`delete from balance_notices where day < (now() at time zone 'UTC')::date - 1`.execute(db);
}
