// Looks up tokens: all requests of one turn of the event loop share one query (`hash = any($1)`). While the maximum of
// queries is in progress, requests gather for the next one.
//
// Invariant: a look-up starts after its request arrived and nothing is cached, so a token that was revoked before the
// request was sent, on any replica, is never accepted. Used by auth/authorize.ts and cached/fast-path.ts.

import type { Database } from "../../database/connect.ts";
import { type AuthenticatedToken, authenticate } from "../../rental/accounts/token-store.ts";

/** `hash`: of the token, in hex; or of the secret of a session, which is looked up in the same way. */
export type TokenLookup<T = AuthenticatedToken> = (hash: string) => Promise<T | undefined>;

/** Called once: with why the look-up failed, or undefined and the token, if there is one. Must not throw. */
export type Told<T = AuthenticatedToken> = (failure: Error | undefined, token: T | undefined) => void;

/** TokenLookup for thousands of requests a second: a promise for each would cost more than everything else. */
export type AskForToken<T = AuthenticatedToken> = (hash: string, told: Told<T>) => void;

/** Finds the rows with these hashes, by their hash in hex: one query. */
type Find<T> = (db: Database, hashes: readonly Buffer[]) => Promise<ReadonlyMap<string, T>>;

/** How many queries run at once: while the database works on one, the next one gathers. */
const queriesAtOnce = 2;

interface Batch<T> {
  readonly hashes: Set<string>;
  readonly asking: { readonly hash: string; readonly told: Told<T> }[];
}

/** Looks up tokens. `find` is a parameter for the test. */
export function createAskForToken(db: Database, find: Find<AuthenticatedToken> = authenticate): AskForToken {
  return createAsk(db, find);
}

/** Looks up what `find` finds. */
export function createAsk<T>(db: Database, find: Find<T>): AskForToken<T> {
  let gathering: Batch<T> | undefined;
  let underWay = 0;

  function beginSoon(): void {
    if (gathering !== undefined && underWay < queriesAtOnce) setImmediate(begin);
  }

  function begin(): void {
    if (gathering === undefined || underWay >= queriesAtOnce) return;
    underWay += 1;
    const batch = gathering;
    // From here on the query is in progress: new requests wait for the next one.
    gathering = undefined;
    void run(batch);
  }

  async function run({ hashes, asking }: Batch<T>): Promise<void> {
    let failure: Error | undefined;
    let found: ReadonlyMap<string, T> | undefined;
    try {
      const bytes = Array.from(hashes, (hash) => Buffer.from(hash, "hex"));
      found = await find(db, bytes);
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
    }
    underWay -= 1;
    beginSoon();
    for (const { hash, told } of asking) told(failure, found?.get(hash));
  }

  return (hash, told) => {
    if (gathering === undefined) {
      gathering = { hashes: new Set(), asking: [] };
      beginSoon();
    }
    gathering.hashes.add(hash);
    gathering.asking.push({ hash, told });
  };
}

/** The same look-ups, as promises. */
export function createTokenLookup<T>(ask: AskForToken<T>): TokenLookup<T> {
  return (hash) =>
    new Promise((resolve, reject) => {
      ask(hash, (failure, token) => (failure === undefined ? resolve(token) : reject(failure)));
    });
}
