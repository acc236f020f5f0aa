// Charges of saved payment methods at Stripe, while the customer is away: payment intents that are created, and confirmed in a
// second call. Used by open-stripe.ts.

import type Stripe from "stripe";
import type { PaymentReport } from "../../rental/payments/apply.ts";
import type { TakenBack } from "../../rental/payments/take-back.ts";
import type { ChargeProvider } from "../charge-provider.ts";
import { ProviderError } from "../provider.ts";
import type { Call } from "./methods.ts";
import { createdAround } from "./search.ts";

export function stripeCharges(
  stripe: Stripe,
  call: Call,
  takenBackOf: (intent: Stripe.PaymentIntent) => Promise<TakenBack[]>,
): ChargeProvider {
  /** What Stripe refuses is in the intent, which is read afterwards. */
  const tried = async (act: () => Promise<unknown>) => {
    try {
      await call(act);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== "refused") throw error;
    }
  };
  return {
    prepare: ({ id, accountId, amountCents, currency, customerId, providerMethodId }, attempt) =>
      call(async () => {
        const params: Stripe.PaymentIntentCreateParams = {
          ...{ amount: amountCents, currency, customer: customerId, payment_method: providerMethodId },
          ...{ metadata: { lessor_payment: id, lessor_account: accountId } },
          // Of any kind that was saved, but none that leads the customer to a page.
          automatic_payment_methods: { enabled: true, allow_redirects: "never" },
        };
        return (await stripe.paymentIntents.create(params, { idempotencyKey: `payment-${id}-${attempt}` })).id;
      }),
    find: ({ id, createdAt }) =>
      call(async () => {
        for await (const intent of stripe.paymentIntents.list({ created: createdAround(createdAt), limit: 100 })) {
          if (intent.metadata.lessor_payment === id) return intent.id;
        }
        return undefined;
      }),
    // Stripe confirms an intent once, whatever the key: it repeats responses to the same one, also errors.
    confirm: ({ id }, intent, attempt) =>
      tried(() =>
        stripe.paymentIntents.confirm(intent, { off_session: true }, { idempotencyKey: `charge-${id}-${attempt}` }),
      ),
    cancel: (intent) => tried(() => stripe.paymentIntents.cancel(intent)),
    read: ({ id }, intentId) =>
      call(async () => {
        const intent = await stripe.paymentIntents.retrieve(intentId);
        if (intent.metadata.lessor_payment !== id) throw new Error(`BUG: ${intentId} is of another payment`);
        const state = stateOf(intent);
        return state && { ...state, ...moneyOf(intent), takenBack: await takenBackOf(intent) };
      }),
  };
}

const moneyOf = ({ id, status, amount, amount_received: received, currency }: Stripe.PaymentIntent) => ({
  ...{ amountCents: status === "succeeded" ? received : amount, currency },
  ...{ checkoutId: null, checkoutUrl: null, providerPaymentId: id },
});

/** Undefined: it was not confirmed. */
function stateOf(intent: Stripe.PaymentIntent): Pick<PaymentReport, "status" | "failure"> | undefined {
  const { status, last_payment_error: error } = intent;
  if (status === "succeeded") return { status: "paid", failure: null };
  if (status === "processing") return { status: "processing", failure: null };
  if (status === "requires_confirmation") return undefined;
  if (status === "canceled" && error === null) return { status: "canceled", failure: null };
  // The customer is not there to authenticate it.
  if (status === "requires_action") return { status: "failed", failure: "authentication_required" };
  return { status: "failed", failure: error?.decline_code ?? error?.code ?? "declined" };
}
