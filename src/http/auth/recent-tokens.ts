// Which tokens were valid from which address a short while ago. An address from which too many tokens failed is
// limited, but one address may serve a whole company: a token that was valid from there still works. This never
// replaces the look-up of each request. Used by auth/authenticate.ts.
// Invariant: memory is limited; the least recently used are dropped. Hashes only, no tokens.

import { LRUCache } from "lru-cache";
import { hashToken } from "../../secrets/token.ts";

const remembered = 100_000;
const forMs = 3_600_000;

export interface RecentlyVerifiedTokens {
  /** Whether the token with this hash was valid from this address within the last hour. */
  has(address: string, hash: Buffer): boolean;
  note(address: string, hash: Buffer): void;
  forget(address: string, hash: Buffer): void;
}

/**
 * For a token that is verified again and again, keyed by a substitute for its header: recorded at most once a minute,
 * because hashing a header takes longer than everything else on that path.
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
  // `maxSize` and not `max`, for which the library would reserve memory for all of them at once.
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
