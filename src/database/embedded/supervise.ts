// Keeps a server running: retries a failed start, and restarts it after an unexpected exit (the kernel's OOM killer, an
// operator's mistake). A server stopped by `stop` stays stopped. Used by start.ts.

import { setTimeout as sleep } from "node:timers/promises";
import type { Postmaster } from "./postmaster.ts";

const FIRST_DELAY_MS = 50;
const LONGEST_DELAY_MS = 5_000;
/**
 * A start right after a kill fails for some 50 ms, while the old server's processes exit. Seven attempts take about 3
 * s; later failures have another cause.
 */
const FIRST_START_ATTEMPTS = 7;

export interface Supervised {
  /** Stops the server and waits until it has ended; waits for a restart in progress. */
  stop(): Promise<void>;
}

/** `start` starts the server once. Throws the last attempt's error if the first start fails for good. */
export async function supervise(start: () => Promise<Postmaster>, log: (line: string) => void): Promise<Supervised> {
  const stopping = new AbortController();

  const startUntil = async (attempts: number): Promise<Postmaster | undefined> => {
    for (let attempt = 1; !stopping.signal.aborted; attempt++) {
      try {
        return await start();
      } catch (error) {
        if (attempt >= attempts) throw error;
        log(error instanceof Error ? error.message : String(error));
        const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS);
        await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
    return undefined;
  };

  let postmaster = await startUntil(FIRST_START_ATTEMPTS);
  if (!postmaster) throw new Error("BUG: nobody could stop a server that had not started");

  const keepRunning = async () => {
    while (postmaster) {
      const reason = await postmaster.exited;
      if (stopping.signal.aborted) return;
      log(`PostgreSQL ended unexpectedly (${reason}); starting it again`);
      postmaster = await startUntil(Number.POSITIVE_INFINITY);
      if (stopping.signal.aborted) await postmaster?.stop();
    }
  };
  const running = keepRunning();

  return {
    stop: async () => {
      stopping.abort();
      await postmaster?.stop();
      await running;
    },
  };
}
