// The timeout policy of short queries to a host. An unreachable host must not delay the others; but libvirt blocks
// queries about a machine that is being started or cleaned up, with GPUs for many seconds, while the host is reachable.
// So a query that nothing blocks decides. Used by engine.ts and hosts.ts.

import type { HostConnection } from "./host-connection.ts";

/** After this time, and again after each further one, the host is checked. */
const ASK_AFTER_MS = 10_000;
/** The maximum. */
const MOST_MS = 60_000;

/** A daemon that restarts is back within this time, in milliseconds: its host does not count as unreachable before. */
export const restartMs = 3000;

export interface Waiting {
  /** Aborts with the caller's signal, and when the host counts as unreachable. */
  readonly signal: AbortSignal;
  /** It has responded, or is no longer needed. */
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
      else lost.abort(new Error("the host does not respond"));
    };
    const wait = () => {
      timer = setTimeout(() => void ask(), askAfterMs);
    };
    wait();
    return {
      signal: AbortSignal.any([signal, lost.signal]),
      end: () => {
        clearTimeout(timer);
        over.abort(new Error("it is no longer needed"));
      },
    };
  };
}

/** Runs the call within the policy. Throws what the call throws, including the reason of the signal. */
export async function waitingFor<T>({ signal, end }: Waiting, call: (within: AbortSignal) => Promise<T>): Promise<T> {
  try {
    return await call(signal);
  } finally {
    end();
  }
}
