// Claims of what is at the payment provider, for all tables that have such rows: what is due is checked by one process at a
// time, and a hint that comes meanwhile makes it due again. Used by checks.ts and payment-methods/checks.ts.

import { type RawBuilder, sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";

export type ClaimedTable = "payments" | "payment_methods";

/** What a claim knows of its row. */
export interface Claim {
  readonly id: string;
  readonly leaseOwner: string;
  /** As of the claim. */
  readonly hints: number;
  /** Attempts without a response in a row. */
  readonly tries: number;
  /** When it was claimed, by the database's clock. */
  readonly claimedAt: Date;
}

interface ClaimRow {
  readonly id: string;
  readonly lease_owner: string | null;
  readonly hints: number;
  readonly tries: number;
  readonly claimed_at: Date;
}

export function claimFromRow({ id, lease_owner: leaseOwner, hints, tries, claimed_at: claimedAt }: ClaimRow): Claim {
  if (leaseOwner === null) throw new Error("BUG: a claimed row has no lease");
  return { id, leaseOwner, hints, tries, claimedAt };
}

/** Claims the row that has been due for longest; undefined: none is due. */
export async function claimDue<Row>(db: Database, table: ClaimedTable, leaseSeconds: number): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    update ${sql.table(table)} set lease_owner = gen_random_uuid(),
      lease_until = now() + make_interval(secs => ${leaseSeconds}::float8)
    where id = (
      select id from ${sql.table(table)}
      where next_check_at <= now() and (lease_until is null or lease_until <= now())
      order by next_check_at limit 1 for update skip locked)
    returning *, now() as claimed_at`.execute(db);
  return rows[0];
}

/** Locks a row that this process has still to itself: what it was told is newer than what others applied. */
export async function holdsClaimOf(tx: Transaction, table: ClaimedTable, { id, leaseOwner }: Claim): Promise<boolean> {
  const { rows } = await sql`
    select from ${sql.table(table)} where id = ${id} and lease_owner = ${leaseOwner} for no key update`.execute(tx);
  return rows.length > 0;
}

/** `next`: when it is due again, unless something was hinted at meanwhile. */
export async function releaseClaim(
  db: Database | Transaction,
  table: ClaimedTable,
  { id, leaseOwner, hints }: Claim,
  next: RawBuilder<unknown>,
  set: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    update ${sql.table(table)} set ${set}, lease_owner = null, lease_until = null,
      next_check_at = case when hints = ${hints} then ${next} else now() end
    where id = ${id} and lease_owner = ${leaseOwner}`.execute(db);
}

/** The provider did not respond, or nothing can be applied. `delays`: in seconds; the last one repeats. */
export async function retryClaim(db: Database, table: ClaimedTable, claim: Claim, delays: readonly number[]) {
  const delay = delays[Math.min(claim.tries, delays.length - 1)] ?? 0;
  const next = sql`now() + make_interval(secs => ${delay}::float8 * (0.75 + random() / 2))`;
  await releaseClaim(db, table, claim, next, sql`tries = tries + 1`);
}

/** Of what waits for a customer: a quarter of its age from now, 10 seconds to an hour. */
export const nextCheckOfOpen = sql`now() + least(greatest((now() - created_at) / 4, interval '10 seconds'), interval '1 hour')`;
