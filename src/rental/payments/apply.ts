// What the provider says of a payment becomes its state here, and money that arrived an entry of the ledger. Used by
// payments/driver.ts.
//
// Invariants: reports can come twice, late and out of order: what a payment cannot become (rules/payments.ts) changes nothing.
// The row is locked, so of reports that come at once one credits; the cause of the entry is the payment, so the database
// refuses a second one. Nothing is credited but the amount and currency that were ordered.

import { sql } from "kysely";
import type { Transaction } from "../../database/connect.ts";
import { microCentsPerCent } from "../../rules/cost.ts";
import {
  type ChargebackPolicy,
  canBecome,
  creditedStatus,
  type PaymentStatus,
  paymentStatusTable,
} from "../../rules/payments.ts";
import { noteOutcome } from "../auto-top-ups/order.ts";
import { recordEvents } from "../events/record.ts";
import { ofPayments, postEntry } from "../ledger/entries.ts";
import { type Payment, paymentFromRow } from "./payment-store.ts";
import { type TakenBack, takeBack } from "./take-back.ts";

/** What the provider says now. */
export interface PaymentReport {
  readonly status: Exclude<PaymentStatus, "created">;
  readonly amountCents: number;
  readonly currency: string;
  /** Why it failed, in the provider's words. */
  readonly failure: string | null;
  readonly checkoutId: string | null;
  readonly checkoutUrl: string | null;
  readonly providerPaymentId: string | null;
  readonly takenBack: readonly TakenBack[];
}

/** The payment as it is then. Throws PaymentMismatch. */
export async function applyReport(
  tx: Transaction,
  id: string,
  report: PaymentReport,
  onChargeback: ChargebackPolicy,
): Promise<Payment> {
  const before = await lockPayment(tx, id);
  const { amountCents, currency } = before;
  if (report.amountCents !== amountCents || report.currency !== currency) throw new PaymentMismatch(before, report);
  const becomes = canBecome(before.status, report.status);
  const status = becomes ? report.status : before.status;
  const row = await tx
    .updateTable("payments")
    .set({
      status,
      ...(becomes && { failure: report.failure }),
      ...(becomes && status === creditedStatus && { paid_at: sql<Date>`now()` }),
      checkout_id: before.checkoutId ?? report.checkoutId,
      checkout_url: paymentStatusTable[status].isOpen ? (report.checkoutUrl ?? before.checkoutUrl) : null,
      provider_payment_id: before.providerPaymentId ?? report.providerPaymentId,
    })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const payment = paymentFromRow(row);
  if (becomes) await announce(tx, payment);
  if (status === creditedStatus) await takeBack(tx, payment, report.takenBack, onChargeback);
  return payment;
}

/** The provider never got it. Changes nothing if that is known to be otherwise. */
export async function failPayment(tx: Transaction, id: string, failure: string): Promise<void> {
  const { status } = await lockPayment(tx, id);
  if (status !== "created") return;
  const row = await tx
    .updateTable("payments")
    .set({ status: "failed" satisfies PaymentStatus, failure })
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await announce(tx, paymentFromRow(row));
}

async function lockPayment(tx: Transaction, id: string): Promise<Payment> {
  const row = await tx.selectFrom("payments").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirst();
  if (row === undefined) throw new Error("BUG: a payment was removed, and none ever is");
  return paymentFromRow(row);
}

async function announce(tx: Transaction, payment: Payment): Promise<void> {
  const { id, accountId, amountCents, status, failure } = payment;
  const data = { account_id: accountId, payment_id: id, amount_cents: amountCents };
  if (status === creditedStatus) {
    const reference = payment.providerPaymentId ?? id;
    const entry = await postEntry(tx, {
      ...{ accountId, kind: "top_up", amountMicroCents: BigInt(amountCents) * microCentsPerCent, tokenId: null },
      ...{ cause: `${ofPayments}${id}`, reference },
    });
    if (entry === undefined) throw new Error("BUG: a payment became paid, and was credited before");
    const event = { ...data, reference, reason: null };
    await recordEvents(tx, [{ accountId, type: "payment.received", subjectId: id, data: event }]);
    await noteOutcome(tx, payment);
  } else if (status === "failed") {
    await noteOutcome(tx, payment);
    const event = { ...data, currency: payment.currency, failure };
    await recordEvents(tx, [{ accountId, type: "payment.failed", subjectId: id, data: event }]);
  }
}

/** The provider has another amount or currency than was ordered: only people can say why. */
export class PaymentMismatch extends Error {
  constructor({ id, amountCents, currency }: Payment, report: PaymentReport) {
    super(
      `the provider has ${report.amountCents} ${report.currency} for the payment ${id} of ${amountCents} ${currency}`,
    );
    this.name = "PaymentMismatch";
  }
}
