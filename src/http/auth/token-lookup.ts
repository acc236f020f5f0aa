// Looks tokens up: all requests of one tick of the event loop share one query (`hash = any($1)`).
// Invariant: a look-up starts after its request arrived and nothing is cached, so a token that was revoked, before the
// request was sent, on whatever replica, is never let in.

import type { Database } from "../../database/connect.ts";
import { type AuthenticatedToken, authenticate } from "../../rental/accounts/index.ts";

export type TokenLookup = (hash: Buffer) => Promise<AuthenticatedToken | undefined>;

/** `find` is a parameter for the test. */
export function createTokenLookup(db: Database, find: typeof authenticate = authenticate): TokenLookup {
  let waiting: { hashes: Map<string, Buffer>; found: Promise<Map<string, AuthenticatedToken>> } | undefined;

  return async (hash) => {
    const hex = hash.toString("hex");
    if (waiting === undefined) {
      const hashes = new Map<string, Buffer>();
      const found = endOfTick().then(() => {
        // From here on the query is under way: who comes now waits for the next one.
        waiting = undefined;
        return find(db, [...hashes.values()]);
      });
      waiting = { hashes, found };
    }
    waiting.hashes.set(hex, hash);
    return (await waiting.found).get(hex);
  };
}

function endOfTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
