// Waits for one SSH greeting: collects input and settles once. Shared by both kinds of probe. Invariant: after
// settling, its timer and signal listener are removed, and `end` has been called once.

import type { ProbeAnswer } from "./probe.ts";

export interface Limits {
  readonly seconds: number;
  readonly signal: AbortSignal;
}

/** Callbacks of the connection. Calls after the first result change nothing. */
export interface ReadinessListener {
  data(bytes: Uint8Array): void;
  failed(why: string): void;
}

const greeting = Buffer.from("SSH-");

/** `begin` opens the connection and returns how to end it. Rejects with the signal's reason when it aborts. */
export function ask(limits: Limits, begin: (hearer: ReadinessListener) => () => void): Promise<ProbeAnswer> {
  const { seconds, signal } = limits;
  const { promise, resolve, reject } = Promise.withResolvers<ProbeAnswer>();
  let settled = false;
  let end: (() => void) | undefined;
  const settle = (tell: () => void) => {
    if (settled) return;
    settled = true;
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    end?.();
    tell();
  };
  const failed = (why: string) => settle(() => resolve({ answers: false, why }));
  const abort = () => settle(() => reject(signal.reason));
  const timer = setTimeout(
    () => failed(`no greeting within ${seconds} ${seconds === 1 ? "second" : "seconds"}`),
    seconds * 1000,
  );
  signal.addEventListener("abort", abort);
  let heard = Buffer.alloc(0);
  const data = (bytes: Uint8Array) => {
    heard = Buffer.concat([heard, bytes]);
    const length = Math.min(heard.length, greeting.length);
    if (!heard.subarray(0, length).equals(greeting.subarray(0, length))) failed("the response is not SSH");
    else if (length === greeting.length) settle(() => resolve({ answers: true }));
  };
  end = begin({ data, failed });
  // begin can fail synchronously, before `end` is set.
  if (settled) end();
  return promise;
}
