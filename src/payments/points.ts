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

/** Of automatic payments (charges.ts), besides those of payments. */
export const chargePoints = [
  "automaticOrdered",
  "chargeFound",
  "chargePrepared",
  "chargeNoted",
  "chargeConfirmed",
  "chargeRead",
  "chargeCanceled",
] as const;

export type PaymentPoint = (typeof paymentPoints | typeof methodPoints | typeof chargePoints)[number];

/** Runs `pass` at the point, normally once and at once. */
export type PaymentGate = <T>(point: PaymentPoint, pass: () => Promise<T>) => Promise<T>;
