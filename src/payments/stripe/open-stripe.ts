// Stripe as a payment provider, by its official library: Checkout hosted by Stripe, and events as hints only. Loaded where
// Stripe is configured.

import Stripe from "stripe";
import type { PaymentReport } from "../../rental/payments/apply.ts";
import type { RefundOrder } from "../../rental/payments/refund-store.ts";
import type { TakenBack } from "../../rental/payments/take-back.ts";
import type { PaymentSettings } from "../../rules/payments.ts";
import { type CheckoutOrder, ForgedWebhook, type OrderedPayment, type PaymentProvider } from "../provider.ts";
import { stripeCharges } from "./charges.ts";
import { clientWithDeadline } from "./deadline.ts";
import { asProviderError } from "./errors.ts";
import { hintOfEvent, watchedEvents } from "./events.ts";
import { stripeMethods } from "./methods.ts";
import { disputeOf, refundOf, reportOf } from "./report.ts";
import { createdAround } from "./search.ts";

/** A webhook that was signed longer ago, in seconds, is not taken: it may be a copy. Stripe signs each attempt anew. */
const toleranceSeconds = 300;
/** The most that one call takes. */
export const mostCallSeconds = 10;

/** `callSeconds`: less in tests, which wait for it. */
export function openStripe(settings: PaymentSettings, callSeconds = mostCallSeconds): PaymentProvider {
  const { secretKey, webhookSecrets, apiUrl } = settings.stripe;
  const { protocol, hostname, port } = new URL(apiUrl);
  const stripe = new Stripe(secretKey, {
    host: hostname,
    port: port || (protocol === "http:" ? 80 : 443),
    protocol: protocol === "http:" ? "http" : "https",
    timeout: callSeconds * 1000,
    httpClient: clientWithDeadline(callSeconds * 1000),
    // The reconciler repeats what got no response; who waits for a page waits for one attempt.
    maxNetworkRetries: 0,
    telemetry: false,
  });

  /** A call, with errors as the contract has them. */
  async function call<T>(act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      throw asProviderError(error);
    }
  }

  /** With the money behind it. */
  const expand = ["payment_intent"];

  async function find(order: CheckoutOrder): Promise<PaymentReport | undefined> {
    const created = createdAround(order.createdAt);
    for await (const session of stripe.checkout.sessions.list({ created, limit: 100 })) {
      if (session.client_reference_id === order.id) return retrieve({ ...order, checkoutId: session.id });
    }
    return undefined;
  }

  async function retrieve({ id, checkoutId }: Pick<OrderedPayment, "id" | "checkoutId">): Promise<PaymentReport> {
    if (checkoutId === null) throw new Error("BUG: a payment without a page is retrieved");
    const session = await stripe.checkout.sessions.retrieve(checkoutId, { expand });
    return reportOf(session, id, await takenBackOf(session.payment_intent));
  }

  /** The same bytes at each attempt. */
  async function refund({ id, providerPaymentId, amountCents: amount, attempt }: RefundOrder): Promise<TakenBack> {
    const order = { payment_intent: providerPaymentId, amount, metadata: { lessor_refund: id } };
    const made = refundOf(await stripe.refunds.create(order, { idempotencyKey: `refund-${id}-${attempt}` }));
    if (made.order?.id !== id) throw new Error(`BUG: the refund ${made.id} is another than ${id}`);
    return made;
  }

  /** Nothing is taken back of what did not arrive. */
  async function takenBackOf(intent: Stripe.Checkout.Session["payment_intent"]): Promise<TakenBack[]> {
    if (intent === null || typeof intent === "string" || intent.status !== "succeeded") return [];
    const all: TakenBack[] = [];
    const query = { payment_intent: intent.id, limit: 100 };
    for await (const refund of stripe.refunds.list(query)) all.push(refundOf(refund));
    for await (const dispute of stripe.disputes.list(query)) all.push(disputeOf(dispute));
    return all;
  }

  return {
    name: "stripe",
    methods: stripeMethods(stripe, call, settings),
    charges: stripeCharges(stripe, call, takenBackOf),
    createCheckout: (order, attempt) =>
      call(async () => {
        const options = { idempotencyKey: `payment-${order.id}-${attempt}` };
        return reportOf(await stripe.checkout.sessions.create(checkoutOf(order, settings), options), order.id);
      }),
    find: (order) => call(() => find(order)),
    retrieve: (payment) => call(() => retrieve(payment)),
    refund: (order) => call(() => refund(order)),
    changesSince: (time) =>
      call(async () => {
        const created = { gte: Math.floor(time.getTime() / 1000) };
        const hints = [];
        let until: Date | undefined;
        for await (const event of stripe.events.list({ created, types: [...watchedEvents], limit: 100 })) {
          const at = new Date(event.created * 1000);
          if (until === undefined || at > until) until = at;
          const hint = hintOfEvent(event);
          if (hint !== undefined) hints.push({ ...hint, at });
        }
        return { hints, until };
      }),
    hintOf: (body, signature) => {
      for (const secret of webhookSecrets) {
        let event: Stripe.Event;
        try {
          event = stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds);
        } catch {
          continue;
        }
        return hintOfEvent(event);
      }
      throw new ForgedWebhook();
    },
  };
}

/** The same bytes at each attempt. */
function checkoutOf(order: CheckoutOrder, { returnUrl }: PaymentSettings): Stripe.Checkout.SessionCreateParams {
  const { id, accountId, amountCents, currency } = order;
  const metadata = { lessor_payment: id, lessor_account: accountId };
  const back = new URL(returnUrl);
  back.searchParams.set("top_up", id);
  const price = { currency, unit_amount: amountCents, product_data: { name: "Balance" } };
  return {
    mode: "payment",
    client_reference_id: id,
    line_items: [{ quantity: 1, price_data: price }],
    metadata,
    payment_intent_data: { metadata },
    success_url: back.href,
    cancel_url: back.href,
  };
}
