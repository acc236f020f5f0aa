// The contract with a payment provider. Used by driver.ts; stripe/ implements it.
//
// Invariants: what is ordered carries our id, as the provider's idempotency key and on what it creates, so an order whose
// response was lost can be repeated or found, and never counts twice. No call changes anything here. No card data comes here.

import type { PaymentReport } from "../rental/payments/apply.ts";
import type { PaymentHint } from "../rental/payments/checks.ts";
import type { RefundOrder } from "../rental/payments/refund-store.ts";
import type { TakenBack } from "../rental/payments/take-back.ts";
import type { PaymentProviderName } from "../rules/payments.ts";
import type { ChargeProvider } from "./charge-provider.ts";
import type { MethodProvider } from "./method-provider.ts";

/** What is ordered. The same order has the same fields at each attempt. */
export interface CheckoutOrder {
  readonly id: string;
  readonly accountId: string;
  readonly amountCents: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  readonly createdAt: Date;
}

/** The provider's ids of what was ordered. */
export interface OrderedPayment {
  readonly id: string;
  readonly checkoutId: string | null;
  readonly providerPaymentId: string | null;
}

export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /**
   * A page where the customer pays. `attempt`: how many orders of it got a response that was none, each repeated as another,
   * because providers repeat their responses: of several pages one is shown. All calls throw ProviderError.
   */
  createCheckout(order: CheckoutOrder, attempt: number): Promise<PaymentReport>;
  /** What an order whose response was lost came to. Undefined: the provider has none. */
  find(order: CheckoutOrder): Promise<PaymentReport | undefined>;
  /**
   * Pays back. The same order with the same `attempt` is one refund, however often it is repeated; what it came to is in
   * `retrieve` too.
   */
  refund(order: RefundOrder): Promise<TakenBack>;
  /** What became of it. */
  retrieve(payment: OrderedPayment): Promise<PaymentReport>;
  /** What changed from then on, by the provider's clock; how far it is complete. */
  changesSince(time: Date): Promise<ProviderChanges>;
  readonly methods: MethodProvider;
  readonly charges: ChargeProvider;
  /** What a webhook says; undefined: nothing of ours. Throws ForgedWebhook. */
  hintOf(body: Uint8Array, signature: string): PaymentHint | undefined;
}

export interface ProviderChanges {
  readonly hints: readonly PaymentHint[];
  /** Of the last change; undefined: there was none. */
  readonly until: Date | undefined;
}

/** How long the provider's list of changes reaches back, in seconds. */
export const changesReachSeconds = 29 * 86_400;

/**
 * `unanswered`: it may have done what it was asked. `refused`: it did not, and never will. `missing`: nor this, because an
 * object of an earlier call was removed there. `unauthorized`: the operator has to act.
 */
export type ProviderErrorKind = "unanswered" | "refused" | "missing" | "unauthorized";

/** Has the provider's code and the id of the request there, for its support: nothing of its message, which can repeat values. */
export class ProviderError extends Error {
  readonly kind: ProviderErrorKind;
  /** The provider's word. */
  readonly code: string | undefined;
  /** Of `unanswered`: the provider responded, and repeats that response, so that the order is repeated as another. */
  readonly isFinal: boolean;

  constructor(
    kind: ProviderErrorKind,
    details: {
      readonly code?: string | undefined;
      /** Of the error, where it has no code. */
      readonly type?: string | undefined;
      readonly request?: string | undefined;
      readonly isFinal?: boolean;
    },
  ) {
    const request = details.request === undefined ? "" : `, request ${details.request}`;
    super(`the payment provider: ${kind} (${details.code ?? details.type ?? "no response"}${request})`);
    this.name = "ProviderError";
    this.kind = kind;
    this.code = details.code;
    this.isFinal = details.isFinal ?? false;
  }
}

/** A webhook whose signature is not that of the provider, or too old. */
export class ForgedWebhook extends Error {
  constructor() {
    super("the signature of a webhook is not valid");
    this.name = "ForgedWebhook";
  }
}
