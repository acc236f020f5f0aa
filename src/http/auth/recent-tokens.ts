// Which tokens were good from where a short while ago. An address from which too many tokens failed is not asked for
// more, but behind one address there may be a whole company: who proved a token there goes on working. What is here says
// nothing about whether a token is good now; that is looked up for every request. Used by the gate.
// Invariant: bounded. Of more than that, those that were quiet longest are forgotten. Hashes only, no tokens.

import { LRUCache } from "lru-cache";
import { hashToken } from "../../secrets/token.ts";

const remembered = 100_000;
const forMs = 3_600_000;

export interface RecentlyVerifiedTokens {
  /** Whether the token with this hash was good from this address within the last hour. */
  has(address: string, hash: Buffer): boolean;
  note(address: string, hash: Buffer): void;
  forget(address: string, hash: Buffer): void;
}

/**
 * For who proves a token again and again, by something that stands for the header it comes in: noted at most once a
 * minute, for the hash of a header takes longer than all else that is done then.
 */
export function notesOften(known: RecentlyVerifiedTokens, now: () => number = () => performance.now()) {
  const noted = new WeakMap<object, { readonly address: string; readonly atMs: number }>();
  return (proof: object, address: string, header: string): void => {
    const last = noted.get(proof);
    const atMs = now();
    if (last?.address === address && atMs - last.atMs < 60_000) return;
    noted.set(proof, { address, atMs });
    known.note(address, hashToken(header));
  };
}

/** `limit` and `now` (in milliseconds) are parameters for the test. */
export function createRecentlyVerifiedTokens(
  limit = remembered,
  now: () => number = () => performance.now(),
): RecentlyVerifiedTokens {
  // By size and not by `max`, for which the library would reserve memory for all of them at once.
  const verified = new LRUCache<string, true>({
    ...{ maxSize: limit, sizeCalculation: () => 1 },
    ...{ ttl: forMs, ttlResolution: 0, perf: { now } },
  });
  const keyOf = (address: string, hash: Buffer) => `${address} ${hash.toString("base64url")}`;
  return {
    has: (address, hash) => verified.has(keyOf(address, hash)),
    note: (address, hash) => void verified.set(keyOf(address, hash), true),
    forget: (address, hash) => void verified.delete(keyOf(address, hash)),
  };
}
