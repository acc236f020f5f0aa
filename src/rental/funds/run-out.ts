// Warns accounts whose money runs out, and stops or terminates what runs when it has: prepaid accounts, and those beyond
// their credit line (rules/payment-terms.ts). A maintenance job: it can run twice at once or be interrupted anywhere. What
// follows is announced once, by a row, and done when its time has come and there is still no money.
//
// Invariant: only instances that are billed by themselves are stopped; a reservation was paid for from when it was made.
// What runs beyond what was announced runs until the next check (`limitCheckSeconds`, and the duration of one). Customers start
// nothing again that was stopped (exhausted.ts), until there is money.

import { type Selectable, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { InstancesTable } from "../../database/tables/instances.ts";
import { inTransaction } from "../../database/transaction.ts";
import { afterAction, isLive, states } from "../../rules/lifecycle.ts";
import { type BalanceSettings, warnedWithinSeconds } from "../../rules/payment-terms.ts";
import { recordEvents } from "../events/record.ts";
import { applyAction } from "../instances/apply-action.ts";
import { fromRow } from "../instances/instance.ts";
import { exhaustedAccounts, readExhausted } from "./exhausted.ts";
import { type Funds, isExhausted, readFunds, runwaySeconds } from "./funds.ts";

/** Limits how long one transaction holds locks. */
const batch = 100;

const reason = "The balance of its account is used up.";

/** Handles all accounts. Returns how many instances were stopped or terminated. */
export async function checkBalances(db: Database, settings: BalanceSettings): Promise<number> {
  const before = new Set(await exhaustedAccounts(db));
  let done = 0;
  for (const funds of await readFunds(db)) {
    if (before.delete(funds.accountId) || funds.perHour > 0n) done += await checkOne(db, settings, funds);
  }
  // Their balance has no bound any more.
  for (const accountId of before) await settle(db, accountId);
  return done;
}

async function checkOne(db: Database, settings: BalanceSettings, funds: Funds): Promise<number> {
  if (!isExhausted(funds)) {
    await settle(db, funds.accountId);
    await inTransaction(db, (tx) => warn(tx, funds));
    return 0;
  }
  await inTransaction(db, (tx) => announce(tx, settings, funds));
  let done = 0;
  for (let some = batch; some === batch; ) {
    some = await inTransaction(db, (tx) => endSome(tx, funds.accountId));
    done += some;
  }
  return done;
}

/** There is money again, or nothing that it is needed for. */
async function settle(db: Database, accountId: string): Promise<void> {
  await sql`delete from exhausted_balances where account_id = ${accountId}`.execute(db);
}

/** Says once what follows and when. It stays so, whatever the settings are then. */
async function announce(tx: Transaction, settings: BalanceSettings, { accountId, balance }: Funds): Promise<void> {
  const { whenExhausted, graceSeconds, keepStoppedSeconds } = settings;
  const isStopped = whenExhausted === "stop";
  const { rows } = await sql<{ since: Date; stop_at: Date | null; terminate_at: Date }>`
    insert into exhausted_balances (account_id, stop_at, terminate_at)
    values (${accountId}, case when ${isStopped} then now() + make_interval(secs => ${graceSeconds}) end,
      now() + make_interval(secs => ${graceSeconds + (isStopped ? keepStoppedSeconds : 0)}))
    on conflict (account_id) do nothing
    returning since, stop_at, terminate_at`.execute(tx);
  const [row] = rows;
  if (row === undefined) return;
  const data = {
    ...{ account_id: accountId, balance_micro_cents: String(balance) },
    ...{ since: row.since.toISOString(), stop_at: row.stop_at?.toISOString() ?? null },
    terminate_at: row.terminate_at.toISOString(),
  };
  await recordEvents(tx, [{ accountId, type: "balance.exhausted", subjectId: accountId, data }]);
}

/** Stops or terminates some of what the announced time has come for, if there is still no money. Returns how many. */
async function endSome(tx: Transaction, accountId: string): Promise<number> {
  const due = (await readExhausted(tx, accountId))?.due;
  if (due === undefined) return 0;
  const changes = states.filter((state) => isLive[state] && afterAction(state, due) !== state);
  const { rows } = await sql<Selectable<InstancesTable>>`
    select * from instances
    where account_id = ${accountId} and terminated_at is null and reservation_id is null
      and price_cents_per_hour > 0 and state = any(${changes}::text[])
    order by id
    limit ${batch}
    for update`.execute(tx);
  const [funds] = await readFunds(tx, { accountIds: [accountId] });
  if (funds === undefined || !isExhausted(funds)) return 0;
  await applyAction(tx, rows.map(fromRow), due, "balance", reason);
  return rows.length;
}

/** Warns of the shortest time that the money lasts no longer than: once a day, and again when there was money since. */
async function warn(tx: Transaction, funds: Funds): Promise<void> {
  const { accountId, balance, perHour } = funds;
  const runway = runwaySeconds(funds);
  const within = warnedWithinSeconds.find((seconds) => runway !== undefined && runway <= seconds);
  if (within === undefined || runway === undefined) return;
  const levels = warnedWithinSeconds.filter((seconds) => seconds >= within);
  // Of a longer time it is not warned afterwards.
  const { rows } = await sql<{ within_seconds: number; empty_at: Date }>`
    insert into balance_notices (account_id, within_seconds, day, after_entry)
    select ${accountId}, level, (now() at time zone 'UTC')::date, coalesce((
      select max(entry_id) from ledger_lines
      where account_id = ${accountId} and ledger_account = 'balance' and amount_micro_cents > 0), 0)
    from unnest(${levels}::integer[]) level
    on conflict do nothing
    returning within_seconds, now() + make_interval(secs => ${runway}) as empty_at`.execute(tx);
  const told = rows.find((row) => row.within_seconds === within);
  if (told === undefined) return;
  const data = {
    ...{ account_id: accountId, balance_micro_cents: String(balance), micro_cents_per_hour: String(perHour) },
    ...{ runway_seconds: runway, within_seconds: within, empty_at: told.empty_at.toISOString() },
  };
  await recordEvents(tx, [{ accountId, type: "balance.low", subjectId: accountId, data }]);
}
