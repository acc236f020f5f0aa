// What the short way did for a request that it hands on, so that the long way does not do it once more: the request was
// counted for its address, and its token was looked up (after it arrived, so what was found is as good there, and what
// failed has failed). Written by fast-path.ts; read by ../server.ts and the gate.

import type { IncomingMessage } from "node:http";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";

type LookUp = Promise<AuthenticatedToken | undefined>;

export class Handoff {
  readonly #lookUps = new WeakMap<IncomingMessage, LookUp>();

  /** `failure`: of the look-up; undefined where it did not fail. */
  note(request: IncomingMessage, failure: Error | undefined, token: AuthenticatedToken | undefined): void {
    const lookUp = failure === undefined ? Promise.resolve(token) : Promise.reject(failure);
    // Where the long way refuses before it asks, nobody hears of the failure.
    lookUp.catch(() => {});
    this.#lookUps.set(request, lookUp);
  }

  has(request: IncomingMessage): boolean {
    return this.#lookUps.has(request);
  }

  /** Of the token in its Authorization header. */
  lookUpOf(request: IncomingMessage): LookUp | undefined {
    return this.#lookUps.get(request);
  }
}
