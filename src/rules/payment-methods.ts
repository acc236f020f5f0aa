// Saved payment methods: their statuses, which of them accounts see, and how many there can be. Used by
// rental/payment-methods, payments/, the control interface, the command line and the documents;
// rental/payment-methods/apply.test.ts compares the database's checks with it.
//
// Terms. A payment method is a card or a bank account that is saved at the payment provider: here are only what people
// recognize it by and the provider's id.

interface StatusTraits {
  /** What it means, for documents: one sentence. Undefined: accounts do not see it. */
  readonly meaning: string | undefined;
  /** It counts for the account's limit, and is listed. */
  readonly isCurrent: boolean;
}

export const methodStatusTable = {
  created: { meaning: "The provider is not known to have its page yet.", isCurrent: true },
  pending: { meaning: "The customer has to enter it at `checkout_url`.", isCurrent: true },
  saved: { meaning: "It can be charged.", isCurrent: true },
  failed: { meaning: "Not entered in time, or refused by the provider.", isCurrent: false },
  removing: { meaning: undefined, isCurrent: false },
  removed: { meaning: undefined, isCurrent: false },
} as const satisfies Record<string, StatusTraits>;

export type MethodStatus = keyof typeof methodStatusTable;
/** Those that accounts see. */
export type ShownMethodStatus = Exclude<MethodStatus, "removing" | "removed">;

export const methodStatuses = Object.keys(methodStatusTable) as MethodStatus[]; // as declared
export const shownMethodStatuses = methodStatuses.filter(isShown);
export const currentMethodStatuses = methodStatuses.filter((status) => methodStatusTable[status].isCurrent);

export function isShown(status: MethodStatus): status is ShownMethodStatus {
  return methodStatusTable[status].meaning !== undefined;
}

/** Throws "BUG: …" for a status that the table lacks. */
export function asMethodStatus(text: string): MethodStatus {
  const known = methodStatuses.find((status) => status === text);
  if (known === undefined) throw new Error(`BUG: a payment method has the unknown status ${text}`);
  return known;
}

/** How many an account can have at once, those included that are not entered yet. */
export const mostPaymentMethods = 10;
