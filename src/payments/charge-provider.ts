// The contract with a payment provider about charges of saved payment methods while the customer is away. Used by charges.ts;
// stripe/charges.ts implements it.
//
// Invariant: a charge is prepared before it is made, and the provider makes each that is prepared at most once: not again after
// it was made, declined or canceled. So only one whose id was noted is ever made, and repeating a call charges nothing twice.

import type { PaymentReport } from "../rental/payments/apply.ts";
import type { CheckoutOrder } from "./provider.ts";

/** What is ordered. The same order has the same fields at each attempt. */
export interface ChargeOrder extends CheckoutOrder {
  readonly customerId: string;
  readonly providerMethodId: string;
}

/** All calls throw ProviderError. `attempt`: as of payments. */
export interface ChargeProvider {
  /** Charges nothing. Returns the provider's id of the payment. */
  prepare(order: ChargeOrder, attempt: number): Promise<string>;
  /** What a preparation whose response was lost came to. Undefined: the provider has none. */
  find(order: CheckoutOrder): Promise<string | undefined>;
  /** Charges one that is prepared; what it came to is read. Does nothing to any other. */
  confirm(order: CheckoutOrder, providerPaymentId: string, attempt: number): Promise<void>;
  /** It is not charged any more. Does nothing if it was. */
  cancel(providerPaymentId: string): Promise<void>;
  /** Undefined: it is prepared, and nothing was charged. */
  read(order: Pick<CheckoutOrder, "id">, providerPaymentId: string): Promise<PaymentReport | undefined>;
}
