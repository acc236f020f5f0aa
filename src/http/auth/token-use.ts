// Records when tokens were last used: in the background, at most once a minute for each token, many in one statement. A
// crash loses at most one minute of a date that is only displayed.

import type { Logger } from "pino";
import type { Database } from "../../database/connect.ts";
import { recordTokenUse } from "../../rental/accounts/token-store.ts";

const everyMs = 60_000;
const gatherMs = 1_000;

export interface TokenUse {
  note(tokenId: string): void;
  /** Writes what is still pending. */
  close(): Promise<void>;
}

/** `record` is a parameter for the test. */
export function createTokenUse(db: Database, log: Logger, record: typeof recordTokenUse = recordTokenUse): TokenUse {
  const notedAt = new Map<string, number>();
  let pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    timer = undefined;
    const ids = [...pending];
    pending = new Set();
    if (ids.length === 0) return;
    try {
      await record(db, ids);
    } catch (error) {
      log.warn({ err: error }, "cannot record when tokens were last used");
    }
  }

  return {
    note(tokenId) {
      const now = performance.now();
      if (now - (notedAt.get(tokenId) ?? Number.NEGATIVE_INFINITY) < everyMs) return;
      if (notedAt.size > 10_000) notedAt.clear();
      notedAt.set(tokenId, now);
      pending.add(tokenId);
      timer ??= setTimeout(write, gatherMs).unref();
    },
    async close() {
      clearTimeout(timer);
      await write();
    },
  };
}
