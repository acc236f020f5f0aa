// How long a host is waited for when it is asked something short. A host that is gone must not keep the others waiting;
// but libvirt holds back whoever asks about a machine that is just being started or put away, with its GPUs for many
// seconds, and such a host is not gone: it is asked something that nothing holds back. Used by engine.ts and hosts.ts.

import type { HostConnection } from "./host-connection.ts";

/** A host that has not answered by then is asked whether it is there, and again after as long. */
const ASK_AFTER_MS = 10_000;
/** And so long it is waited for at most. */
const MOST_MS = 60_000;

export interface Waiting {
  /** Aborts as the caller's does, and when the host counts as one that does not answer. */
  readonly signal: AbortSignal;
  /** It has answered, or nobody waits any longer. */
  end(): void;
}

export type TimeoutPolicy = (place: HostConnection, signal: AbortSignal) => Waiting;

export function timeoutPolicy({ askAfterMs = ASK_AFTER_MS, mostMs = MOST_MS } = {}): TimeoutPolicy {
  return ({ virsh }, signal) => {
    const lost = new AbortController();
    const over = new AbortController();
    const began = performance.now();
    let timer: NodeJS.Timeout;
    const ask = async () => {
      const within = AbortSignal.any([over.signal, AbortSignal.timeout(askAfterMs)]);
      const isThere = await virsh.call(["hostname"], { signal: within }).then(
        () => true,
        () => false,
      );
      if (over.signal.aborted) return;
      if (isThere && performance.now() - began < mostMs) wait();
      else lost.abort(new Error("the host does not answer"));
    };
    const wait = () => {
      timer = setTimeout(() => void ask(), askAfterMs);
    };
    wait();
    return {
      signal: AbortSignal.any([signal, lost.signal]),
      end: () => {
        clearTimeout(timer);
        over.abort(new Error("it is not waited for any more"));
      },
    };
  };
}

/** The call within that patience. Throws what the call throws, the reason of the signal among it. */
export async function waitingFor<T>({ signal, end }: Waiting, call: (within: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await call(signal);
  } finally {
    end();
  }
}
