// Hook for changes of money that must not happen twice: each attempt has one Idempotency-Key, also when its response was
// lost and it is sent again. Used by the dialogs of entries, refunds and credit notes.

import { useRef } from "react";
import type { Answered } from "../../../src/client/client.ts";
import { type Attempt, isFinal, nextAttempt, randomKey } from "../launch/attempt.ts";

/** Sends the body with the key of its attempt. */
export function useAttempt() {
  const attempt = useRef<Attempt | undefined>(undefined);
  return async <T>(body: object, send: (header: { "Idempotency-Key": string }) => Promise<Answered<T>>) => {
    const present = nextAttempt(attempt.current, JSON.stringify(body), randomKey);
    attempt.current = present;
    const answer = await send({ "Idempotency-Key": present.key });
    attempt.current = { ...present, answered: isFinal(answer.response.status) };
    return answer;
  };
}
