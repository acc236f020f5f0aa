// The Idempotency-Key of a launch: one for each attempt. An attempt whose answer was lost is made again with its key, so a
// instance that it may have launched is the answer, and not joined by a second one. Pure.

export interface Attempt {
  readonly key: string;
  /** What was asked for, as text. */
  readonly body: string;
  /** Whether the service answered for good: it launched, or refused. */
  readonly answered: boolean;
}

/** The attempt to make now: the former one again where nobody knows what became of it, otherwise a new one. */
export function nextAttempt(former: Attempt | undefined, body: string, makeKey: () => string): Attempt {
  if (former !== undefined && !former.answered && former.body === body) return former;
  return { key: makeKey(), body, answered: false };
}

/** Whether an answer with this status is final; undefined: there was none. */
export function isFinal(status: number | undefined): boolean {
  // 409 may say that the first request is still under way; what else it says is also found out by asking again.
  return status !== undefined && status < 500 && status !== 409 && status !== 429;
}

/** 128 random bits; unlike crypto.randomUUID also where the console is served without TLS. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
