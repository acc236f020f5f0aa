// What Stripe knows: pages where customers pay, the money behind them, and what happened. Objects have the fields of the
// public API description that this service and the official library read; their types are the library's, generated from it.

import { randomBytes } from "node:crypto";
import type Stripe from "stripe";
import { SavedMethods } from "./saved.ts";

export type Session = Pick<
  Stripe.Checkout.Session,
  | "id"
  | "object"
  | "amount_total"
  | "client_reference_id"
  | "created"
  | "currency"
  | "customer"
  | "expires_at"
  | "livemode"
  | "metadata"
  | "mode"
  | "payment_intent"
  | "payment_status"
  | "setup_intent"
  | "status"
  | "success_url"
  | "url"
>;
export type Intent = Pick<
  Stripe.PaymentIntent,
  "id" | "object" | "amount" | "amount_received" | "created" | "currency" | "livemode" | "metadata" | "status"
> & {
  last_payment_error: { code: string; decline_code?: string; type: "card_error" } | null;
  /** Of one for a saved method: until it was declined. */
  payment_method?: string | null;
  customer?: string | null;
};
export type Refund = Pick<
  Stripe.Refund,
  "id" | "object" | "amount" | "created" | "currency" | "failure_reason" | "metadata" | "payment_intent" | "status"
>;
export type Dispute = Pick<
  Stripe.Dispute,
  "id" | "object" | "amount" | "created" | "currency" | "payment_intent" | "reason" | "status"
> & {
  /** Below zero: withdrawn; above: reinstated. */
  readonly balance_transactions: { readonly amount: number }[];
};
export const hasWithdrawn = ({ balance_transactions: moved }: Dispute): boolean =>
  moved.reduce((sum, { amount }) => sum + amount, 0) < 0;

export interface StripeEvent {
  readonly id: string;
  readonly object: "event";
  readonly api_version: string;
  created: number;
  readonly livemode: false;
  readonly pending_webhooks: number;
  readonly type: string;
  /** As it was then. */
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

export class StripeWorld {
  readonly sessions: Session[] = [];
  readonly intents: Intent[] = [];
  readonly refunds: Refund[] = [];
  readonly disputes: Dispute[] = [];
  readonly events: StripeEvent[] = [];
  /** What refunds are that begin: of a method that takes days, pending. */
  refundsBegin: "succeeded" | "pending" = "succeeded";
  readonly saved = new SavedMethods(this);

  /** Told of each charge of a saved method, before it is made or declined. */
  charging: (intent: Intent) => void = () => {};

  readonly now = (): number => Math.floor(Date.now() / 1000);

  readonly name = (prefix: string): string => `${prefix}_test_${randomBytes(12).toString("hex")}`;

  /** Its time passes too. */
  travel(seconds: number): void {
    const all = [
      ...this.sessions,
      ...this.intents,
      ...this.refunds,
      ...this.disputes,
      ...this.events,
      ...this.saved.all,
    ];
    for (const one of all) one.created -= seconds;
  }

  happened(type: string, object: object): void {
    this.events.push({
      ...{ id: this.name("evt"), object: "event", api_version: "2026-10-28.endive", created: this.now() },
      ...{ livemode: false, pending_webhooks: 1, type, data: { object: structuredClone({ ...object }) } },
    });
  }

  session(id: string): Session {
    const found = this.sessions.find((one) => one.id === id);
    if (found === undefined) throw new Error(`the fake has no session ${id}`);
    return found;
  }

  intentOf(session: Session): Intent {
    const id = String(session.payment_intent);
    const found = this.intents.find((one) => one.id === id);
    if (found === undefined) throw new Error(`the session ${session.id} has no intent`);
    return found;
  }

  /** The session of one of our payments. */
  of(paymentId: string): Session {
    const found = this.sessions.find(({ client_reference_id: id }) => id === paymentId);
    if (found === undefined) throw new Error(`the fake has no session of ${paymentId}`);
    return found;
  }

  /** The customer enters a card, or orders a bank debit, which takes days. */
  pay(paymentId: string, by: "card" | "debit" = "card"): void {
    const session = this.of(paymentId);
    if (session.status !== "open") return;
    const intent = this.#intentFor(session);
    session.status = "complete";
    session.url = null;
    if (by === "card") this.#succeed(session, intent, "checkout.session.completed");
    else {
      intent.status = "processing";
      this.happened("payment_intent.processing", intent);
      this.happened("checkout.session.completed", session);
    }
  }

  /** What became of a charge of a saved bank account. */
  settleCharge(paymentId: string, isGood: boolean): void {
    const intent = this.intents.find((one) => one.metadata.lessor_payment === paymentId);
    if (intent?.status !== "processing" || intent.payment_method === undefined) return;
    if (!isGood) this.#fail(intent, "payment_method_provider_decline");
    else {
      Object.assign(intent, { status: "succeeded", amount_received: intent.amount, last_payment_error: null });
      this.happened("payment_intent.succeeded", intent);
    }
  }

  /** What became of a bank debit. */
  settleDebit(paymentId: string, isGood: boolean): void {
    const session = this.of(paymentId);
    const intent = this.intents.find(({ id }) => id === session.payment_intent);
    if (intent?.status !== "processing") return;
    if (isGood) this.#succeed(session, intent, "checkout.session.async_payment_succeeded");
    else {
      this.#fail(intent, "payment_method_provider_decline");
      this.happened("checkout.session.async_payment_failed", session);
    }
  }

  /** The card is declined; the page stays open for another one. */
  decline(paymentId: string): void {
    const session = this.of(paymentId);
    if (session.status === "open") this.#fail(this.#intentFor(session), "card_declined");
  }

  expire(paymentId: string): void {
    this.expireSession(this.of(paymentId));
  }

  expireSession(session: Session): void {
    if (session.status !== "open") return;
    session.status = "expired";
    session.url = null;
    this.happened("checkout.session.expired", session);
  }

  /** In the dashboard, of at most what is left. Undefined: nothing is. */
  refund(paymentId: string, cents: number): Refund | undefined {
    const intent = this.intents.find(({ metadata }) => metadata.lessor_payment === paymentId);
    if (intent === undefined) return undefined;
    const amount = Math.min(cents, this.leftOf(intent));
    return amount <= 0 ? undefined : this.makeRefund(intent, amount, {});
  }

  /** In cents. */
  readonly leftOf = (intent: Intent): number => intent.amount_received - this.#gone(intent);

  makeRefund(intent: Intent, amount: number, metadata: Record<string, string>): Refund {
    const refund: Refund = {
      ...{ id: this.name("re"), object: "refund", amount, created: this.now(), currency: intent.currency },
      ...{ payment_intent: intent.id, status: this.refundsBegin, metadata },
    };
    this.refunds.push(refund);
    this.happened("refund.created", refund);
    return refund;
  }

  failRefund(refund: Refund | undefined): void {
    if (refund?.status !== "succeeded" && refund?.status !== "pending") return;
    Object.assign(refund, { status: "failed", failure_reason: "lost_or_stolen_card" });
    this.happened("refund.failed", refund);
  }

  settleRefund(refund: Refund | undefined): void {
    if (refund?.status !== "pending") return;
    refund.status = "succeeded";
    this.happened("refund.updated", refund);
  }

  /** By the customer's bank, of all that is left. Undefined: nothing is. */
  dispute(paymentId: string, status: "warning_needs_response" | "needs_response"): Dispute | undefined {
    const intent = this.intents.find(({ metadata }) => metadata.lessor_payment === paymentId);
    const amount = intent === undefined ? 0 : intent.amount_received - this.#gone(intent);
    if (intent === undefined || amount <= 0) return undefined;
    const dispute: Dispute = {
      ...{ id: this.name("du"), object: "dispute", amount, created: this.now(), currency: intent.currency },
      ...{ payment_intent: intent.id, reason: "fraudulent", status, balance_transactions: [] },
    };
    this.disputes.push(dispute);
    this.#moveMoney(dispute);
    this.happened("charge.dispute.created", dispute);
    return dispute;
  }

  change(dispute: Dispute | undefined, status: Dispute["status"]): void {
    if (dispute === undefined) return;
    dispute.status = status;
    this.#moveMoney(dispute);
    this.happened(
      /^(won|lost|warning_closed)$/.test(status) ? "charge.dispute.closed" : "charge.dispute.updated",
      dispute,
    );
  }

  /** Withdraws it with the dispute, and reinstates it when that is won. */
  #moveMoney(dispute: Dispute): void {
    const { amount, status, balance_transactions: moved } = dispute;
    const isOver = /^(won|warning_\w+)$/.test(status);
    if (hasWithdrawn(dispute) === isOver) moved.push({ amount: isOver ? amount : -amount });
  }

  #gone({ id }: Intent): number {
    const gone = [
      ...this.refunds.filter(({ status }) => !/^(failed|canceled)$/.test(status ?? "")),
      ...this.disputes.filter(hasWithdrawn),
    ];
    return gone.filter(({ payment_intent: of }) => of === id).reduce((sum, { amount }) => sum + amount, 0);
  }

  /** What came in and is still there, in cents, by the account of its metadata. */
  received(accountId: string): number {
    const ours = this.intents.filter(({ metadata }) => metadata.lessor_account === accountId);
    return ours.reduce((sum, intent) => sum + intent.amount_received - this.#gone(intent), 0);
  }

  #succeed(session: Session, intent: Intent, type: string): void {
    Object.assign(intent, { status: "succeeded", amount_received: intent.amount, last_payment_error: null });
    session.payment_status = "paid";
    this.happened("payment_intent.succeeded", intent);
    this.happened(type, session);
  }

  #fail(intent: Intent, code: string): void {
    Object.assign(intent, { status: "requires_payment_method", last_payment_error: { type: "card_error", code } });
    this.happened("payment_intent.payment_failed", intent);
  }

  /** There is none before the customer does something. */
  #intentFor(session: Session): Intent {
    if (session.payment_intent !== null) return this.intentOf(session);
    const intent: Intent = {
      ...{ id: this.name("pi"), object: "payment_intent", amount: session.amount_total ?? 0, amount_received: 0 },
      ...{ created: this.now(), currency: session.currency ?? "", livemode: false },
      ...{ metadata: { ...session.metadata }, status: "requires_payment_method", last_payment_error: null },
    };
    this.intents.push(intent);
    session.payment_intent = intent.id;
    return intent;
  }
}
