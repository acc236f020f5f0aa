// What the fast path did for a request that it passes on, so that the full path does not repeat it: the request was
// counted for its address, and its token was looked up (after it arrived, so the result or failure is valid there too).
// Written by fast-path.ts; read by ../server.ts and auth/authorize.ts.

import type { IncomingMessage } from "node:http";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";

type LookUp = Promise<AuthenticatedToken | undefined>;

export class Handoff {
  readonly #lookUps = new WeakMap<IncomingMessage, LookUp>();

  /** `failure`: of the look-up; undefined if it succeeded. */
  note(request: IncomingMessage, failure: Error | undefined, token: AuthenticatedToken | undefined): void {
    const lookUp = failure === undefined ? Promise.resolve(token) : Promise.reject(failure);
    // If the full path rejects the request first, the failure stays unhandled.
    lookUp.catch(() => {});
    this.#lookUps.set(request, lookUp);
  }

  has(request: IncomingMessage): boolean {
    return this.#lookUps.has(request);
  }

  /** The look-up of the token in its Authorization header. */
  lookUpOf(request: IncomingMessage): LookUp | undefined {
    return this.#lookUps.get(request);
  }
}
