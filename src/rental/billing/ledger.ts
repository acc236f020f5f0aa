// The ledger: one span per instance, from first active to the terminate request, stopped time included. lifecycle.ts
// (`bill`) says which wish or fact touches it; recordFact and the terminate operation do so in their own transaction.
//
// Invariant: an instance has at most one span, ever (unique index one_span_per_instance), and a closed one stays closed.
// Price and coupon are those frozen into the instance's row at launch.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";

/** Opens the instance's span now, unless it ever had one. The caller holds the instance's row lock. */
export async function openSpan(tx: Transaction, instanceId: string): Promise<void> {
  await sql`
    insert into billing_spans (instance_id, account_id, started_at, price_cents_per_hour, discount_basis_points, coupon_code)
    select id, account_id, now(), price_cents_per_hour, discount_basis_points, coupon_code
    from instances where id = ${instanceId}
    on conflict (instance_id) do nothing
  `.execute(tx);
}

/**
 * Closes the spans of these instances now; does nothing where none is open. The caller holds the instances' row locks.
 *
 * `now()` is when this transaction began. One that began, then waited for the row lock while the instance became
 * active, has a `now()` before the span's start: it is closed with no time in it rather than with less than none.
 */
export async function closeSpan(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  await sql`
    update billing_spans set ended_at = greatest(now(), started_at)
    where instance_id = any(${instanceIds}) and ended_at is null
  `.execute(tx);
}
