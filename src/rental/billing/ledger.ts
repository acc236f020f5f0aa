// The ledger: one span per instance, from first active or stopped to the terminate request, stopped time included. lifecycle.ts
// (`bill`) says which wish or fact touches it; recordObservation and the terminate operation do so in their own transaction.
//
// Invariant: an instance has at most one span, ever (unique index one_span_per_instance), and a closed one stays closed.
// Price, coupon and who launched are those frozen into the instance's row at launch; the row itself goes some day, the span
// does not (instances/past-instances.ts). No span begins or ends within a closed month:
// the database's billing_now() is the time, and where the clock is set back behind such a month, the month's end.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";

/** Opens the instances' spans now, of each unless it ever had one. The caller holds the instances' row locks. */
export async function openSpans(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await sql`
    insert into billing_spans (instance_id, account_id, token_id, started_at, price_cents_per_hour, discount_basis_points,
      coupon_code)
    select id, account_id, token_id, billing_now(), price_cents_per_hour, discount_basis_points, coupon_code
    from instances where id = any(${[...instanceIds]}::uuid[])
    on conflict (instance_id) do nothing
  `.execute(tx);
}

/**
 * Closes the spans of these instances now; does nothing where none is open. The caller holds the instances' row locks.
 *
 * The time is when this transaction began. One that began, then waited for the row lock while the instance became
 * active, has a time before the span's start (so has one after a clock was set back): it is closed with no time in it rather than with less than none.
 */
export async function closeSpans(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await sql`
    update billing_spans set ended_at = greatest(billing_now(), started_at)
    where instance_id = any(${instanceIds}) and ended_at is null
  `.execute(tx);
}
