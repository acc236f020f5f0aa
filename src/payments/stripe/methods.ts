// Saved payment methods at Stripe: a customer for each account, and Checkout in setup mode. Used by open-stripe.ts.

import Stripe from "stripe";
import type { MethodDetails, MethodPage } from "../../rental/payment-methods/apply.ts";
import type { PaymentSettings } from "../../rules/payments.ts";
import type { MethodProvider } from "../method-provider.ts";
import { ProviderError } from "../provider.ts";
import { createdAround, searchSeconds } from "./search.ts";

/** A call, with errors as the contract has them. */
export type Call = <T>(act: () => Promise<T>) => Promise<T>;

/** What is entered at the page. */
const expand = ["setup_intent.payment_method"];

export function stripeMethods(stripe: Stripe, call: Call, { currency, returnUrl }: PaymentSettings): MethodProvider {
  const readPage = async (id: string) => pageOf(await stripe.checkout.sessions.retrieve(id, { expand }));
  const readMethod = async (id: string) => {
    try {
      return detailsOf(await stripe.paymentMethods.retrieve(id));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  };
  return {
    createCustomer: (accountId, key) =>
      call(async () => {
        const params = { metadata: { lessor_account: accountId } };
        return (await stripe.customers.create(params, { idempotencyKey: `customer-${key}` })).id;
      }),
    findCustomer: (accountId, from) =>
      call(async () => {
        const created = { gte: Math.floor(from.getTime() / 1000) - searchSeconds };
        let first: string | undefined; // they are listed newest first
        for await (const { id, metadata } of stripe.customers.list({ created, limit: 100 })) {
          if (metadata.lessor_account === accountId) first = id;
        }
        return first;
      }),
    createPage: ({ id, accountId }, customer, attempt) =>
      call(async () => {
        const metadata = { lessor_method: id, lessor_account: accountId };
        const back = new URL(returnUrl);
        back.searchParams.set("payment_method", id);
        const params = {
          ...{ mode: "setup" as const, currency, customer, client_reference_id: id, metadata },
          ...{ setup_intent_data: { metadata }, success_url: back.href, cancel_url: back.href },
        };
        try {
          return pageOf(await stripe.checkout.sessions.create(params, { idempotencyKey: `method-${id}-${attempt}` }));
        } catch (error) {
          if (isMissing(error)) throw new ProviderError("missing", { code: "customer" });
          throw error;
        }
      }),
    findPage: ({ id, createdAt }) =>
      call(async () => {
        for await (const session of stripe.checkout.sessions.list({ created: createdAround(createdAt), limit: 100 })) {
          if (session.client_reference_id === id) return readPage(session.id);
        }
        return undefined;
      }),
    readPage: (id) => call(() => readPage(id)),
    endPage: (id) => call(async () => void (await stripe.checkout.sessions.expire(id))),
    readMethod: (id) => call(() => readMethod(id)),
    detach: (id) =>
      call(async () => {
        try {
          await stripe.paymentMethods.detach(id);
        } catch (error) {
          // Stripe refuses to detach twice.
          if ((await readMethod(id)) !== undefined) throw error;
        }
      }),
  };
}

const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing";

function pageOf({ id, url, status, setup_intent: intent }: Stripe.Checkout.Session): MethodPage {
  const page = { checkoutId: id, checkoutUrl: url, details: undefined };
  if (status === "open") return { ...page, status: "pending" };
  if (status !== "complete") return { ...page, status: "failed" };
  if (intent === null || typeof intent === "string") return { ...page, status: "pending" };
  if (intent.status === "succeeded") {
    const method = intent.payment_method;
    const details = method === null || typeof method === "string" ? undefined : detailsOf(method);
    return details === undefined ? { ...page, status: "failed" } : { ...page, status: "saved", details };
  }
  return { ...page, status: intent.status === "processing" ? "pending" : "failed" };
}

/** Undefined: no customer has it any more. */
function detailsOf(method: Stripe.PaymentMethod): MethodDetails | undefined {
  const { id, type, customer, card } = method;
  if (customer === null) return undefined;
  if (card !== undefined) {
    return {
      providerMethodId: id,
      brand: card.brand,
      last4: card.last4,
      expMonth: card.exp_month,
      expYear: card.exp_year,
    };
  }
  // Bank accounts have their last digits under the name of their type.
  const last4: unknown = Object(Object(method)[type]).last4;
  return {
    ...{ providerMethodId: id, brand: type, last4: typeof last4 === "string" ? last4 : null },
    ...{ expMonth: null, expYear: null },
  };
}
