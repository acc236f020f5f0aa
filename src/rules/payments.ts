// Payments: their statuses and which follow which, the words of their failures, and the settings of what takes them. Used
// by rental/payments, payments/, the control interface, the command line, the console and the documents;
// rental/payments/apply.test.ts compares the database's checks with it.
//
// Terms. A payment is one attempt of an account to pay one amount. Only `paid` credits the balance, once for each payment.

interface StatusTraits {
  /** What it means, for documents: one sentence. */
  readonly meaning: string;
  /** What it can become next, as the provider says. */
  readonly next: readonly string[];
  /** The provider is asked again without being told that it changed. */
  readonly isOpen: boolean;
}

/** Money that arrived counts, whatever was said before: also what failed can be paid. */
export const paymentStatusTable = {
  created: {
    meaning: "The provider is not known to have it yet.",
    next: ["pending", "processing", "paid", "failed", "expired", "canceled"],
    isOpen: true,
  },
  pending: {
    meaning: "The customer has to pay at `checkout_url`.",
    next: ["processing", "paid", "failed", "expired", "canceled"],
    isOpen: true,
  },
  processing: {
    meaning: "Ordered by a method that takes days, such as a bank debit.",
    next: ["paid", "failed", "canceled"],
    isOpen: true,
  },
  paid: { meaning: "The money arrived, and the balance has it.", next: [], isOpen: false },
  failed: { meaning: "Declined, or refused by the provider.", next: ["paid"], isOpen: false },
  expired: { meaning: "Not paid in time.", next: ["paid"], isOpen: false },
  canceled: { meaning: "Canceled at the provider.", next: ["paid"], isOpen: false },
} as const satisfies Record<string, StatusTraits>;

export type PaymentStatus = keyof typeof paymentStatusTable;

export const paymentStatuses = Object.keys(paymentStatusTable) as PaymentStatus[]; // as declared

/** Those in which the provider is asked again. */
export const openPaymentStatuses = paymentStatuses.filter((status) => paymentStatusTable[status].isOpen);

/** The status in which a payment is in the ledger. */
export const creditedStatus = "paid" satisfies PaymentStatus;

/** Whether a payment can become this; what is reported out of order cannot. */
export function canBecome(status: PaymentStatus, next: PaymentStatus): boolean {
  return (paymentStatusTable[status].next as readonly PaymentStatus[]).includes(next);
}

/** Throws "BUG: …" for a status that the table lacks. */
export function asPaymentStatus(text: string): PaymentStatus {
  const known = paymentStatuses.find((status) => status === text);
  if (known === undefined) throw new Error(`BUG: a payment has the unknown status ${text}`);
  return known;
}

/** Of refunds: their statuses, as the provider says, and what each means. */
export const refundStatusTable = {
  created: "The provider is not known to have it yet.",
  pending: "On its way; it has left the balance.",
  succeeded: "Paid back.",
  failed: "Not paid back; the balance has it.",
} as const;
export type RefundStatus = keyof typeof refundStatusTable;
export const refundStatuses = Object.keys(refundStatusTable) as RefundStatus[]; // as declared
/** Those that are ordered at the provider. */
export const openRefundStatus = "created" satisfies RefundStatus;
export const failedRefundStatus = "failed" satisfies RefundStatus;

/** Throws "BUG: …" for a status that the table lacks. */
export function asRefundStatus(text: string): RefundStatus {
  const known = refundStatuses.find((status) => status === text);
  if (known === undefined) throw new Error(`BUG: a refund has the unknown status ${text}`);
  return known;
}

/** Why the provider never got a payment or a refund: it was not reached in time, or refused the order as such. Other words are its own. */
export const ownFailures = {
  unreachable: "provider_unreachable",
  rejected: "provider_rejected",
  /** An automatic one that was not wanted any more before it was charged. */
  withdrawn: "withdrawn",
} as const;

export const paymentProviders = ["stripe"] as const;
export type PaymentProviderName = (typeof paymentProviders)[number];

/** How many payments of one account can be open at once. */
export const mostOpenPayments = 20;

/** Currencies whose smallest unit is not a hundredth: the ledger counts cents. */
export const currenciesWithoutCents: readonly string[] = [
  ...["bif", "clp", "djf", "gnf", "jpy", "kmf", "krw", "mga", "pyg", "rwf", "ugx", "vnd", "vuv", "xaf", "xof", "xpf"],
  ...["bhd", "iqd", "jod", "kwd", "lyd", "omr", "tnd"],
];

/** What becomes of an account when the money of a payment was disputed. */
export const chargebackPolicies = ["hold", "none"] as const;
export type ChargebackPolicy = (typeof chargebackPolicies)[number];

/** What amounts are taken. */
export interface TopUpLimits {
  /** ISO 4217 in lower case, such as usd. */
  readonly currency: string;
  /** In cents. */
  readonly minAmountCents: number;
  /** In cents. */
  readonly maxAmountCents: number;
}

export interface PaymentSettings extends TopUpLimits {
  /** The console's page of the balance, where customers come back to from the provider; `?top_up=` and the id of the payment are added. */
  readonly returnUrl: string;
  readonly onChargeback: ChargebackPolicy;
  readonly stripe: StripeSettings;
}

export interface StripeSettings {
  /** SECRET. */
  readonly secretKey: string;
  /** SECRET. Of the endpoint; while it is changed, two are accepted. Empty: no webhooks are taken. */
  readonly webhookSecrets: readonly string[];
  /** The origin of the API. */
  readonly apiUrl: string;
}
