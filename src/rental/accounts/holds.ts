// Accounts on hold, because a payment of theirs was disputed: they launch nothing, reserve nothing, and no reservation of
// theirs begins. What runs stays. Used by payments/take-back.ts, launches, reservations and account-store.ts.
//
// Invariant: a dispute counts from the moment on that it put the account on hold: one from before an operator lifted the hold
// does not keep a later one. Who decides has the account's lock.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import type { MicroCents } from "../../rules/cost.ts";
import { RentalError } from "../errors.ts";
import { recordEvents } from "../events/record.ts";
import { retryWaits } from "./retry-waits.ts";

/** By this dispute, under the lock of its payment. */
export async function holdAccount(tx: Transaction, accountId: string, disputeId: string): Promise<void> {
  const { rows } = await sql<{ since: Date }>`
    update accounts set held_since = clock_timestamp() where id = ${accountId} and held_since is null
    returning held_since as since`.execute(tx);
  await sql`update payments_taken_back set held_at = clock_timestamp() where id = ${disputeId}`.execute(tx);
  if (rows[0] !== undefined) await announceHold(tx, accountId, rows[0].since);
}

/** This dispute holds no more: lifts the hold if no other does. */
export async function releaseHold(tx: Transaction, accountId: string, disputeId: string): Promise<void> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx);
  await sql`update payments_taken_back set held_at = null where id = ${disputeId}`.execute(tx);
  const { rows } = await sql`
    select from accounts a where a.id = ${accountId} and not exists (
      select from payments_taken_back t join payments p on p.id = t.payment_id
      where p.account_id = a.id and t.held_at >= a.held_since)`.execute(tx);
  if (rows.length > 0) await liftHold(tx, accountId);
}

/** Whatever holds. Changes nothing without a hold. */
export async function liftHold(tx: Transaction, accountId: string): Promise<void> {
  const { rows } = await sql`
    update accounts set held_since = null where id = ${accountId} and held_since is not null returning 1`.execute(tx);
  if (rows.length === 0) return;
  await announceHold(tx, accountId, null);
  await retryWaits(tx, { accountId });
}

export async function isHeld(db: Database, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from accounts where id = ${accountId} and held_since is not null`.execute(db);
  return rows.length > 0;
}

/** For a launch or a reservation of this price: nothing of the balance is left for it. */
export function onHold(needsMicroCents: MicroCents): RentalError {
  return new RentalError("insufficient-balance", { needsMicroCents, leftMicroCents: 0n, isHeld: true });
}

async function announceHold(tx: Transaction, accountId: string, since: Date | null): Promise<void> {
  const data = { account_id: accountId, held_since: since?.toISOString() ?? null };
  await recordEvents(tx, [{ accountId, type: "account.hold_changed", subjectId: accountId, data }]);
}
