// A client that wants its request done once and does not know what happened to it: it sends the same request with the
// same Idempotency-Key again, to one server after the other, until it hears an answer that is one. What counts as none:
// no connection, a connection that broke, any 5xx, "in progress" and "too many requests".
//
// It waits less than Retry-After says, and differently each time: a proof wants repetitions in unlikely moments.

import { setTimeout as sleep } from "node:timers/promises";
import { type CallResult, call } from "../support/http.ts";

export interface Wanted {
  /** Where to send it, by the number of the attempt. */
  readonly url: (attempt: number) => string;
  readonly token: string;
  readonly body: object;
  readonly key: string;
}

export interface Heard {
  readonly answer: CallResult;
  /** How often it was sent. */
  readonly attempts: number;
  /** How often the client could not know whether it had happened. */
  readonly unclear: number;
}

const leastMs = 10;
const mostMs = 300;

/** Throws when there is no answer after `patienceSeconds`. */
export async function persistently(wanted: Wanted, patienceSeconds = 120): Promise<Heard> {
  let unclear = 0;
  let last: unknown;
  const begun = performance.now();
  for (let attempt = 0; performance.now() - begun < patienceSeconds * 1000; attempt++) {
    const { token, body, key } = wanted;
    try {
      const headers = { "idempotency-key": key };
      const answer = await call("POST", wanted.url(attempt), { token, body, headers });
      if (isAnswer(answer)) return { answer, attempts: attempt + 1, unclear };
      if (answer.status >= 500) unclear += 1;
      last = `${answer.status} ${answer.text}`;
    } catch (error) {
      unclear += 1;
      last = error;
    }
    await sleep(leastMs + Math.random() * Math.min(mostMs, leastMs * 2 ** attempt));
  }
  throw new Error(`no answer to ${wanted.url(0)} with the key ${wanted.key}`, { cause: last });
}

function isAnswer({ status, text }: CallResult): boolean {
  const isInProgress = status === 409 && text.includes("idempotency/in-progress");
  return status < 500 && status !== 429 && !isInProgress;
}

/** Status and body: what has to be the same whenever a request is repeated. */
export function substance({ status, text }: CallResult): string {
  return `${status} ${text}`;
}

/** Does `work` on every item, so many at once. Throws what the first failure threw, when the others have ended. */
export async function eachOf<T>(items: Iterable<T>, atOnce: number, work: (item: T, index: number) => Promise<void>) {
  const queue = numbered(items);
  const worker = async () => {
    for (const [item, index] of queue) await work(item, index);
  };
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, worker));
  for (const one of ended) if (one.status === "rejected") throw one.reason;
}

function* numbered<T>(items: Iterable<T>): Generator<[T, number]> {
  let index = 0;
  for (const item of items) yield [item, index++];
}
