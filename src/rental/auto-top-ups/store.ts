// What accounts ordered of automatic top-ups. Used by the control interface and payments/driver.ts.

import { sql } from "kysely";
import type { Database, Transaction } from "../../database/connect.ts";
import { mostEntryCents } from "../../rules/ledger.ts";
import type { PaymentSettings } from "../../rules/payments.ts";
import { invalid, RentalError } from "../errors.ts";
import { defaultMethod, readMethod } from "../payment-methods/method-store.ts";
import { asUuid } from "../uuid.ts";
import { chargedThisMonth, inProgress } from "./charged.ts";

export interface AutoTopUpOrder {
  /** It is charged when the balance is below this. */
  readonly thresholdCents: number;
  readonly amountCents: number;
  /** Of a calendar month in UTC. */
  readonly monthlyCapCents: number;
  /** Null: the default of the account at that time. */
  readonly paymentMethodId: string | null;
}

export interface AutoTopUp extends AutoTopUpOrder {
  readonly chargedThisMonthCents: number;
  /** Zero: none is. */
  readonly inProgressCents: number;
  /** Null: it is on. */
  readonly turnedOffAt: Date | null;
  readonly turnedOffReason: string | null;
}

/** Undefined: there is none. */
export async function readAutoTopUp(db: Database, accountId: string): Promise<AutoTopUp | undefined> {
  const { rows } = await sql<{
    threshold_cents: number;
    amount_cents: number;
    monthly_cap_cents: number;
    payment_method_id: string | null;
    charged: number;
    in_progress: number;
    turned_off_at: Date | null;
    turned_off_reason: string | null;
  }>`
    select t.*, ${chargedThisMonth(sql`t.account_id`)} as charged, ${inProgress(sql`t.account_id`)} as in_progress
    from auto_top_ups t where account_id = ${accountId}`.execute(db);
  const [row] = rows;
  return (
    row && {
      ...{ thresholdCents: row.threshold_cents, amountCents: row.amount_cents, monthlyCapCents: row.monthly_cap_cents },
      ...{ paymentMethodId: row.payment_method_id, chargedThisMonthCents: row.charged },
      inProgressCents: row.in_progress,
      ...{ turnedOffAt: row.turned_off_at, turnedOffReason: row.turned_off_reason },
    }
  );
}

/** Turns it on, with these terms. Throws RentalError invalid-parameters, conflict: there is nothing to charge. */
export async function putAutoTopUp(
  tx: Transaction,
  accountId: string,
  order: AutoTopUpOrder,
  { minAmountCents: least, maxAmountCents: most }: Pick<PaymentSettings, "minAmountCents" | "maxAmountCents">,
): Promise<void> {
  const { thresholdCents, amountCents, monthlyCapCents, paymentMethodId } = order;
  if (thresholdCents > mostEntryCents) throw invalid("threshold_cents", `Must be at most ${mostEntryCents} cents.`);
  if (amountCents < least || amountCents > most) {
    throw invalid("amount_cents", `Must be from ${least} to ${most} cents.`);
  }
  if (monthlyCapCents < amountCents) throw invalid("monthly_cap_cents", "Must be at least amount_cents.");
  if (paymentMethodId === null) {
    if ((await defaultMethod(tx, accountId)) === undefined) throw nothingToCharge();
  } else if ((await readMethod(tx, accountId, paymentMethodId)).status !== "saved") throw nothingToCharge();
  await sql`
    insert into auto_top_ups (account_id, threshold_cents, amount_cents, monthly_cap_cents, payment_method_id)
    values (${accountId}, ${thresholdCents}, ${amountCents}, ${monthlyCapCents},
      ${paymentMethodId === null ? null : asUuid(paymentMethodId)})
    on conflict (account_id) do update set threshold_cents = excluded.threshold_cents,
      amount_cents = excluded.amount_cents, monthly_cap_cents = excluded.monthly_cap_cents,
      payment_method_id = excluded.payment_method_id, declines = 0, turned_off_at = null,
      turned_off_reason = null`.execute(tx);
}

/** A payment that was not charged yet is withdrawn. */
export async function removeAutoTopUp(tx: Transaction, accountId: string): Promise<void> {
  await sql`delete from auto_top_ups where account_id = ${accountId}`.execute(tx);
}

function nothingToCharge(): RentalError {
  return new RentalError("conflict", {
    message: "No saved payment method can be charged.",
    suggestion: "Save one first (POST /payment-methods), and enter it at its checkout_url.",
  });
}
