// Billing spans: one per instance, from first active or stopped to the terminate request, stopped time included; on a
// lost host, to the moment when the host was last known to serve it. lifecycle.ts (`bill`) says which action or
// observation changes it; recordObservation and terminate do so in their own transaction. Its downtime is downtime.ts's.
//
// Invariant: an instance has at most one span (unique index one_span_per_instance), and a closed one stays closed.
// Price, coupon and token are those frozen into the instance's row at launch; the row is deleted some day, the span is
// not (instances/past-instances.ts). No span begins or ends within a closed month: times are the database's
// billing_now(), which is at least the end of the last closed month.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { freeSeconds } from "../../rules/spot.ts";
import { isForOwnAccount } from "../spot/spot-sql.ts";
import { creditWhole } from "./credits.ts";

/** Opens spans now, for each instance that never had one. The caller holds the instances' row locks. */
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
 * Closes the open spans of these instances now. The caller holds the instances' row locks.
 *
 * The time is the start of this transaction. If it waited for the row lock while the instance became active, or the
 * clock was set back, that is before the span's start: then the span gets no duration instead of a negative one.
 */
export async function closeSpans(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  await sql`
    update billing_spans set ended_at = greatest(billing_now(), started_at)
    where instance_id = any(${instanceIds}) and ended_at is null
  `.execute(tx);
}

/**
 * The same for instances that are evicted: one that is evicted soon enough costs nothing, unless it is for its own account,
 * which could have its spot instances evicted for nothing then, again and again. Its span has no duration then, or, if some
 * of it was credited or is in a closed month, a credit for the rest.
 */
export async function closeSpansOfPreempted(tx: Transaction, instanceIds: readonly string[]): Promise<void> {
  if (instanceIds.length === 0) return;
  const isFree = sql<boolean>`(billing_now() - started_at <= make_interval(secs => ${freeSeconds})
    and not exists (select from instances i where i.id = instance_id and ${isForOwnAccount}))`;
  await sql`
    update billing_spans set ended_at = started_at
    where instance_id = any(${[...instanceIds]}::uuid[]) and ended_at is null and ${isFree} and credited_at is null
      and started_at >= coalesce((select (max(month) + interval '1 month') at time zone 'UTC' from closed_months), '-infinity')`.execute(
    tx,
  );
  const { rows } = await sql<{ instance_id: string; free: boolean }>`
    update billing_spans set ended_at = greatest(billing_now(), started_at)
    where instance_id = any(${[...instanceIds]}::uuid[]) and ended_at is null
    returning instance_id, ${isFree} as free`.execute(tx);
  const free = rows.filter((row) => row.free).map((row) => row.instance_id);
  if (free.length > 0) await creditWhole(tx, "preemption", free);
}

/** A moment in the past, at which billing of the instance ended. */
export interface EndInThePast {
  readonly instanceId: string;
  readonly until: Date;
}

/**
 * Closes the open spans of these instances in the past: not before they began, nor within a closed month. The caller
 * holds the instances' row locks.
 */
export async function closeSpansInThePast(tx: Transaction, ends: readonly EndInThePast[]): Promise<void> {
  if (ends.length === 0) return;
  await sql`
    update billing_spans set ended_at = greatest(started_at, least(t.until, billing_now()),
      (select (max(month) + interval '1 month') at time zone 'UTC' from closed_months))
    from unnest(${ends.map(({ instanceId }) => instanceId)}::uuid[], ${ends.map(({ until }) => until)}::timestamptz[])
      as t (id, until)
    where instance_id = t.id and ended_at is null`.execute(tx);
}
