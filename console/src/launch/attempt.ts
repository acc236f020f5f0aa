// The Idempotency-Key of a launch: one for each attempt. An attempt whose response was lost is retried with its key, so it
// launches no second instance. Pure.

export interface Attempt {
  readonly key: string;
  /** The request, as text. */
  readonly body: string;
  /** Whether the response was final: it launched, or rejected. */
  readonly answered: boolean;
}

/** The next attempt: the former one again if its result is unknown, otherwise a new one. */
export function nextAttempt(former: Attempt | undefined, body: string, makeKey: () => string): Attempt {
  if (former !== undefined && !former.answered && former.body === body) return former;
  return { key: makeKey(), body, answered: false };
}

/** Whether a response with this status is final; undefined: there was none. */
export function isFinal(status: number | undefined): boolean {
  // 409 may mean that the first request is still in progress; any other cause is reported again on retry.
  return status !== undefined && status < 500 && status !== 409 && status !== 429;
}

/** 128 random bits; works without TLS, unlike crypto.randomUUID. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
