// What was announced to accounts whose money is used up: when their instances are stopped and terminated. Used by run-out.ts
// and the control interface.

import { sql } from "kysely";
import type { Database } from "../../database/connect.ts";

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

/** Warnings of other days are not needed. */
export async function deleteOldBalanceNotices(db: Database): Promise<void> {
  await sql`delete from balance_notices where day < (now() at time zone 'UTC')::date - 1`.execute(db);
}
