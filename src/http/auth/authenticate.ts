// From what a request shows to prove whose it is, to the token that stands for: the limits of failed attempts, the look-up,
// and the refusal. The same for a token in the Authorization header, the console's cookie, and a token at its sign-in.
//
// An address from which too many requests came without a valid token is told to wait, before anything is looked up; but
// not with a proof that was good from there a short while ago (recent-tokens.ts), and one in a while that is new there is
// looked up (first-look.ts). What is under way at that moment is not counted yet, so a burst may have more looked up than
// the limit: all requests of one tick share one query.

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
  /** As it was sent. */
  readonly shown: string;
  /** Whether it has the form of one: nothing else takes its turn while an address is told to wait. */
  readonly isWellFormed: () => boolean;
  /** Throws HttpError for what cannot be one. */
  readonly look: () => Promise<T | undefined>;
  /** Throws HttpError invalid-api-key unless it is one that may pass. */
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
  /** Told of each request that a proof let in. */
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

/** What a browser shows with this session's secret. */
export const shownSession = (secret: string) => `session ${secret}`;

/** What every token has to be. `at`: where it was shown, for the words. Throws HttpError invalid-api-key. */
export function validToken<T extends AuthenticatedToken>(found: T | undefined, at?: "sign-in"): T {
  const where = at === undefined ? {} : { at };
  if (found === undefined) throw new HttpError("invalid-api-key", { reason: "unknown", ...where });
  if (found.revoked) throw new HttpError("invalid-api-key", { reason: "revoked", ...where });
  if (found.expired) throw new HttpError("invalid-api-key", { reason: "expired", ...where });
  return found;
}
