// Authenticates a request: the limits of failed attempts, the look-up, and the rejection. The same for a token in the
// Authorization header, the console's cookie, and a token at its sign-in.
//
// An address that sent too many requests without a valid token is rejected before any look-up, except with a credential
// that was valid from there a short while ago (recent-tokens.ts), and one new credential in a while is looked up
// (first-look.ts). Look-ups in progress are not counted yet, so a burst may exceed the limit: all requests of one tick
// share one query.

import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { AuthenticatedToken } from "../../rental/accounts/token-store.ts";
import { hashToken } from "../../secrets/token.ts";
import { addressGroup } from "../edge/client-address.ts";
import type { RateLimits } from "../edge/rate-limit.ts";
import { HttpError } from "../errors/api-error.ts";
import { createFirstLook } from "./first-look.ts";
import type { RecentlyVerifiedTokens } from "./recent-tokens.ts";

export interface Proof<T extends AuthenticatedToken> {
  /** The credential as sent. */
  readonly shown: string;
  /** Whether it has the form of a credential: others are never looked up while an address is over its limit. */
  readonly isWellFormed: () => boolean;
  /** Throws HttpError for a malformed one. */
  readonly look: () => Promise<T | undefined>;
  /** Throws HttpError invalid-api-key unless it is valid. */
  readonly valid: (found: T | undefined) => T;
}

export type Authenticate = <T extends AuthenticatedToken>(
  request: FastifyRequest,
  reply: FastifyReply,
  proof: Proof<T>,
) => Promise<T>;

/** Throws HttpError invalid-api-key, rate-limited. Sets `request.presentedBy`. */
export function createAuthenticate(parts: {
  readonly rateLimits: RateLimits;
  readonly knownGood: RecentlyVerifiedTokens;
  /** Called for each authenticated request. */
  readonly noteVerified: (request: IncomingMessage) => void;
}): Authenticate {
  const { rateLimits, knownGood, noteVerified } = parts;
  const firstLook = createFirstLook();

  return async (request, reply, { shown, isWellFormed, look, valid }) => {
    const address = addressGroup(request.clientAddress);
    const hash = hashToken(shown);
    const mayBeNew = () => isWellFormed() && firstLook.take(address, hash);
    if (!knownGood.has(address, hash)) rateLimits.refuseAfterFailures(request, reply, mayBeNew);
    try {
      const found = await look();
      request.presentedBy = found?.principal ?? null;
      request.moment = found?.moment ?? null;
      request.compatibilityVersion = found?.compatibilityVersion ?? null;
      const good = valid(found);
      knownGood.note(address, hash);
      noteVerified(request.raw);
      return good;
    } catch (error) {
      if (error instanceof HttpError) {
        knownGood.forget(address, hash);
        firstLook.noteFailed(address, hash);
        rateLimits.noteFailure(request);
      }
      throw error;
    }
  };
}

/** The credential for this session's secret. */
export const shownSession = (secret: string) => `session ${secret}`;

/** Checks a token. `at`: where it was shown, for the message. Throws HttpError invalid-api-key. */
export function validToken<T extends AuthenticatedToken>(found: T | undefined, at?: "sign-in"): T {
  const where = at === undefined ? {} : { at };
  if (found === undefined) throw new HttpError("invalid-api-key", { reason: "unknown", ...where });
  if (found.revoked) throw new HttpError("invalid-api-key", { reason: "revoked", ...where });
  if (found.suspended) throw new HttpError("invalid-api-key", { reason: "suspended", ...where });
  if (found.expired) throw new HttpError("invalid-api-key", { reason: "expired", ...where });
  return found;
}
