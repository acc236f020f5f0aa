// The contract with a payment provider about saved payment methods. Used by methods.ts; stripe/methods.ts implements it.
//
// Invariants: as in provider.ts. No call changes anything here, and no card data comes here but what people recognize a card
// by.

import type { MethodDetails, MethodPage } from "../rental/payment-methods/apply.ts";

/** What is ordered. The same order has the same fields at each attempt. */
export interface MethodOrder {
  readonly id: string;
  readonly accountId: string;
  readonly createdAt: Date;
}

/** All calls throw ProviderError. */
export interface MethodProvider {
  /** Returns the id of one who carries the account's. `key`: the same one gives the same customer. */
  createCustomer(accountId: string, key: string): Promise<string>;
  /** The first one of the account that was created from then on; undefined: there is none. */
  findCustomer(accountId: string, from: Date): Promise<string | undefined>;
  /** A page where the customer enters a method. `attempt`: as of payments. */
  createPage(order: MethodOrder, customerId: string, attempt: number): Promise<MethodPage>;
  /** What an order whose response was lost came to. Undefined: the provider has none. */
  findPage(order: MethodOrder): Promise<MethodPage | undefined>;
  readPage(checkoutId: string): Promise<MethodPage>;
  /** Nothing can be entered there any more. */
  endPage(checkoutId: string): Promise<void>;
  /** Undefined: it is removed there. */
  readMethod(providerMethodId: string): Promise<MethodDetails | undefined>;
  /** It can be charged no more. Does nothing if it is removed there. */
  detach(providerMethodId: string): Promise<void>;
}
