// Where a payment, or the saving of a payment method, can be interrupted. Each call of the provider and each write is at one; reconciler/failpoints.ts has them too.

export const paymentPoints = [
  "paymentOrdered",
  "paymentClaimed",
  "paymentCreated",
  "paymentFound",
  "paymentRead",
  "refundCreated",
  "paymentApplied",
  "paymentChangesListed",
  "paymentChangesNoted",
] as const;

/** Of payment methods (methods.ts). */
export const methodPoints = [
  "methodOrdered",
  "methodClaimed",
  "customerFound",
  "customerCreated",
  "customerNoted",
  "customerForgotten",
  "methodCreated",
  "methodFound",
  "methodRead",
  "methodPageEnded",
  "methodDetached",
  "methodApplied",
] as const;

export type PaymentPoint = (typeof paymentPoints | typeof methodPoints)[number];

/** Runs `pass` at the point, normally once and at once. */
export type PaymentGate = <T>(point: PaymentPoint, pass: () => Promise<T>) => Promise<T>;
