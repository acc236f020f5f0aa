// The encryption context of a cached response (http/api/idempotency.ts). Here, because rotation needs it too.

/** For the response to an account's request with this Idempotency-Key. */
export const answerContext = (accountId: string, key: string): string => `idempotency:${accountId}:${key}`;
