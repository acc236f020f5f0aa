// Which tokens are looked up though too many others failed from the same address: one in a while that has not failed from
// there. So a good token is let in soon after a restart, or on another server, where nobody knows yet that it was good
// there before (recent-tokens.ts); and one broken program with one wrong token never takes its turn. Who floods with tokens
// that are new each time does take it, and has one of them looked up in a while. Used by the gate.
// Invariant: bounded, in memory and in look-ups. Hashes only, no tokens.

import { LRUCache } from "lru-cache";
import { Windows } from "../edge/windows.ts";

/** So often one more token is looked up for an address. */
export const everyMs = 10_000;
const remembered = 100_000;

export interface FirstLook {
  /** Whether the token with this hash may be looked up now; if so, the next one of this address waits. */
  take(address: string, hash: Buffer): boolean;
  /** It was looked up from there, and was not good. */
  noteFailed(address: string, hash: Buffer): void;
}

/** `limit` and `now` (in milliseconds) are parameters for the test. */
export function createFirstLook(limit = remembered, now: () => number = () => performance.now()): FirstLook {
  // By size and not by `max`, for which the library would reserve memory for all of them at once.
  const failed = new LRUCache<string, true>({ maxSize: limit, sizeCalculation: () => 1 });
  const turns = new Windows({ most: 1, windowMs: everyMs, keys: limit, now });
  const keyOf = (address: string, hash: Buffer) => `${address} ${hash.toString("base64url")}`;

  return {
    take: (address, hash) => !failed.has(keyOf(address, hash)) && !turns.count(address).isExceeded,
    noteFailed: (address, hash) => void failed.set(keyOf(address, hash), true),
  };
}
