// When the provider is asked about which payment method, and by which replica, as payments/checks.ts does for payments. Used by
// payments/methods.ts.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { asMethodStatus, type MethodStatus } from "../../rules/payment-methods.ts";
import { wakeReconciler } from "../instances/wake.ts";
import { clockSkewSeconds, type PaymentHint } from "../payments/checks.ts";
import { claimDue, nextCheckOfOpen, releaseClaim } from "../payments/claims.ts";
import { asUuid } from "../uuid.ts";
import { type ClaimedMethod, type ClaimedRow, claimedMethodFromRow } from "./method-store.ts";

/** Claims the one that has been due for longest; undefined: none is due. */
export async function claimMethod(db: Database, leaseSeconds: number): Promise<ClaimedMethod | undefined> {
  const row = await claimDue<ClaimedRow>(db, "payment_methods", leaseSeconds);
  return row && claimedMethodFromRow(row);
}

/** A saved one is read again after a day, in case that it was removed there. */
const nextCheck = {
  created: sql`now()`,
  pending: nextCheckOfOpen,
  saved: sql`now() + interval '1 day'`,
  failed: sql`null::timestamptz`,
  removing: sql`now()`,
  removed: sql`null::timestamptz`,
} as const satisfies Record<MethodStatus, unknown>;

/** The provider responded, and what it said is applied: releases the claim. */
export async function settleMethod(tx: Transaction, claimed: ClaimedMethod): Promise<void> {
  const { id, claimedAt } = claimed;
  const row = await tx.selectFrom("payment_methods").select("status").where("id", "=", id).executeTakeFirstOrThrow();
  const next = nextCheck[asMethodStatus(row.status)];
  await releaseClaim(tx, "payment_methods", claimed, next, sql`tries = 0, checked_at = ${claimedAt}`);
}

/** Makes the methods due that these name. */
export async function hintMethods(tx: Transaction, hints: readonly PaymentHint[]): Promise<void> {
  const texts = (of: (hint: PaymentHint) => string | undefined) => hints.map((hint) => of(hint) ?? null);
  const { numAffectedRows = 0n } = await sql`
    with hinted as (
      select m.id from unnest(
        ${texts(({ id }) => id && asUuid(id))}::uuid[], ${texts(({ checkoutId }) => checkoutId)}::text[],
        ${texts(({ providerMethodId }) => providerMethodId)}::text[], ${texts(({ at }) => at?.toISOString())}::timestamptz[]
      ) as hint (id, checkout_id, provider_method_id, at)
      join payment_methods m
        on m.id = hint.id or m.checkout_id = hint.checkout_id or m.provider_method_id = hint.provider_method_id
      where hint.at is null or m.checked_at is null
        or m.checked_at < hint.at + make_interval(secs => ${clockSkewSeconds})
    ), due as (
      select id from payment_methods where id in (select id from hinted) and status <> ${"removed" satisfies MethodStatus}
      order by id for no key update)
    update payment_methods set hints = hints + 1, next_check_at = least(next_check_at, now())
    from due where payment_methods.id = due.id`.execute(tx);
  if (numAffectedRows > 0n) await wakeReconciler(tx, "payments");
}
