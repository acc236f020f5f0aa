// Which tokens are looked up although too many others failed from the same address: periodically one that has not
// failed from there. So a valid token is accepted soon after a restart, or on another replica, where recent-tokens.ts
// is empty; and a broken program that repeats one wrong token gets no look-ups. A flood of ever new tokens does, but
// only one per period. Used by auth/authenticate.ts.
// Invariant: memory and look-ups are limited. Hashes only, no tokens.

import { LRUCache } from "lru-cache";
import { Windows } from "../edge/windows.ts";

/** How often one more token is looked up for an address. */
export const everyMs = 10_000;
const remembered = 100_000;

export interface FirstLook {
  /** Whether the token with this hash may be looked up now; if so, this address waits for its next one. */
  take(address: string, hash: Buffer): boolean;
  /** Records that a look-up from this address failed. */
  noteFailed(address: string, hash: Buffer): void;
}

/** `limit` and `now` (in milliseconds) are parameters for the test. */
export function createFirstLook(limit = remembered, now: () => number = () => performance.now()): FirstLook {
  // `maxSize` and not `max`, for which the library would reserve memory for all of them at once.
  const failed = new LRUCache<string, true>({ maxSize: limit, sizeCalculation: () => 1 });
  const turns = new Windows({ most: 1, windowMs: everyMs, keys: limit, now });
  const keyOf = (address: string, hash: Buffer) => `${address} ${hash.toString("base64url")}`;

  return {
    take: (address, hash) => !failed.has(keyOf(address, hash)) && !turns.count(address).isExceeded,
    noteFailed: (address, hash) => void failed.set(keyOf(address, hash), true),
  };
}
