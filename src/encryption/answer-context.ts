// What a kept answer (http/api/idempotency.ts) is bound to. Here, because changing keys has to know it too.

/** For the answer to an account's request with this Idempotency-Key. */
export const answerContext = (accountId: string, key: string): string => `idempotency:${accountId}:${key}`;
