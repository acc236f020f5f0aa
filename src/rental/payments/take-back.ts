// Money of a payment that was taken back at the provider: by a refund there, or by the customer's bank. Its entries follow what
// the provider says. Used by apply.ts, under the lock of the payment.
//
// Invariant: each refund and dispute has as many entries as its money moved, by turns away and back; the number is in its row
// and in the cause of each entry, so what is reported twice moves nothing.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import type { ChargebackPolicy, RefundStatus } from "../../rules/payments.ts";
import { holdAccount, releaseHold } from "../accounts/holds.ts";
import { noteTakenBack } from "../auto-top-ups/order.ts";
import { recordEvents } from "../events/record.ts";
import { ofPayments, postEntry } from "../ledger/entries.ts";
import type { Payment } from "./payment-store.ts";
import { followRefund } from "./refund-store.ts";

/** A refund or a dispute, as the provider has it now. */
export interface TakenBack {
  /** The provider's id. */
  readonly id: string;
  readonly kind: "refund" | "chargeback";
  readonly amountCents: number;
  /** Whether its money is gone: not before a dispute begins, and no longer after it is won, or a refund failed. */
  readonly isGone: boolean;
  /** The refund that an operator ordered here, if it is one. */
  readonly order?: { readonly id: string; readonly status: RefundStatus; readonly failure: string | null };
}

/** Why, as the account reads it, of what was not ordered here. */
const atProvider = "At the payment provider";

export async function takeBack(
  tx: Transaction,
  payment: Payment,
  all: readonly TakenBack[],
  onChargeback: ChargebackPolicy,
): Promise<void> {
  for (const one of all) {
    const { rows } = await sql<{ entries: number }>`
      insert into payments_taken_back (id, payment_id, kind, amount_cents)
      values (${one.id}, ${payment.id}, ${one.kind}, ${one.amountCents})
      on conflict (id) do update set kind = excluded.kind returning entries`.execute(tx);
    const entries = rows[0]?.entries ?? 0;
    const order = one.order && (await followRefund(tx, payment, one.id, one.order));
    if ((entries % 2 === 1) !== one.isGone) {
      await move(tx, payment, one, entries + 1, order);
      if (one.kind === "chargeback") await changeHold(tx, payment, one, onChargeback);
    }
  }
}

/** A dispute that is won lifts what it put on hold, whatever the policy is by then. */
async function changeHold(
  tx: Transaction,
  { accountId }: Payment,
  { id, isGone }: TakenBack,
  policy: ChargebackPolicy,
) {
  if (!isGone) await releaseHold(tx, accountId, id);
  else if (policy === "hold") await holdAccount(tx, accountId, id);
}

/** `order`: who ordered it here, and why. */
async function move(
  tx: Transaction,
  { id, accountId }: Payment,
  one: TakenBack,
  entries: number,
  order: { readonly tokenId: string; readonly reason: string } | undefined,
): Promise<void> {
  const reason = order?.reason ?? atProvider;
  const cents = one.isGone ? -one.amountCents : one.amountCents;
  const entry = await postEntry(tx, {
    ...{ accountId, kind: one.isGone ? one.kind : "reversal", reason },
    tokenId: one.isGone ? (order?.tokenId ?? null) : null,
    ...{ amountMicroCents: BigInt(cents) * microCentsPerCent, reference: one.id },
    cause: `${ofPayments}${one.id}/${entries}`,
  });
  if (entry === undefined) throw new Error("BUG: money of a payment moved, and had moved before");
  await sql`update payments_taken_back set entries = ${entries} where id = ${one.id}`.execute(tx);
  const data = { account_id: accountId, payment_id: id, amount_cents: cents, reference: one.id, reason };
  const type = one.kind === "refund" ? "payment.refunded" : one.isGone ? "payment.disputed" : "payment.dispute_won";
  await recordEvents(tx, [{ accountId, type, subjectId: id, data }]);
  if (one.isGone) await noteTakenBack(tx, accountId, one.kind);
}
