// How many requests are accepted per minute: of a token, of an address, and of an address that sent no valid token.
// windows.ts counts; the headers are the IETF draft's (draft-ietf-httpapi-ratelimit-headers-10). One set of counters
// serves all ports of a server. Every replica counts for itself.
// Invariant: memory is limited; with too many keys, those whose minute began first restart.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { Limits } from "../../config.ts";
import { HttpError, type LimitName } from "../errors/api-error.ts";
import { addressGroup } from "./client-address.ts";
import { createFirstRejection } from "./first-rejection.ts";
import { type WindowState, Windows } from "./windows.ts";

const windowSeconds = 60;

export interface RateLimits {
  /** Counts the request for its address; before any other work for it. Throws HttpError rate-limited. */
  address(request: FastifyRequest, reply: FastifyReply): void;
  /** Counts the request for its token, and writes the headers. Throws HttpError rate-limited. */
  token(request: FastifyRequest, reply: FastifyReply, tokenId: string): void;
  /**
   * Throws HttpError rate-limited if the request's address has failed too often, unless `unless` returns true, which is
   * called only then. Counts nothing.
   */
  refuseAfterFailures(request: FastifyRequest, reply: FastifyReply, unless: () => boolean): void;
  /** Counts a request without a valid token, for its address. */
  noteFailure(request: FastifyRequest): void;
  /** For requests that Fastify may never see (cached/fast-path.ts). */
  readonly front: {
    /** Counts the request for its address. False, and not counted, if its limit is reached or it failed too often. */
    address(clientAddress: string): boolean;
    /** Counts the request for its token; returns header names and values in turn, or undefined over its limit. */
    token(tokenId: string): readonly string[] | undefined;
  };
}

type Configured = Pick<
  Limits,
  "requestsPerMinutePerToken" | "requestsPerMinutePerAddress" | "failedAuthenticationsPerMinutePerAddress"
>;

export function createRateLimits(limits: Configured): RateLimits {
  const token = countingIn("token", limits.requestsPerMinutePerToken);
  const address = countingIn("address", limits.requestsPerMinutePerAddress);
  const failures = countingIn("failed-authentications", limits.failedAuthenticationsPerMinutePerAddress);
  const isFirst = createFirstRejection();
  const groupOf = (request: FastifyRequest) => addressGroup(request.clientAddress);

  return {
    address(request, reply) {
      const state = address.count(groupOf(request));
      if (state.isExceeded) throw address.refusal(reply, state);
    },
    token(request, reply, tokenId) {
      const state = token.count(tokenId);
      token.tell(reply, state);
      if (!state.isExceeded) return;
      // One line in the audit log stands for all rejections of this window.
      if (!isFirst(tokenId, state.seconds)) request.audited = true;
      throw token.refusal(reply, state);
    },
    refuseAfterFailures(request, reply, unless) {
      const state = failures.look(groupOf(request));
      if (state.remaining === 0 && !unless()) throw failures.refusal(reply, state);
    },
    noteFailure(request) {
      failures.count(groupOf(request));
    },
    front: {
      address(clientAddress) {
        const group = addressGroup(clientAddress);
        if (failures.isUsedUp(group) || address.isUsedUp(group)) return false;
        address.count(group);
        return true;
      },
      token(tokenId) {
        const state = token.count(tokenId);
        return state.isExceeded ? undefined : token.headers(state);
      },
    },
  };
}

function countingIn(limit: LimitName, perMinute: number) {
  const windows = new Windows({ most: perMinute, windowMs: windowSeconds * 1000 });
  const policy = `"${limit}";q=${perMinute};w=${windowSeconds}`;

  function headers({ remaining, seconds }: WindowState): readonly [string, string, string, string] {
    return ["ratelimit", `"${limit}";r=${remaining};t=${seconds}`, "ratelimit-policy", policy];
  }

  function tell(reply: FastifyReply, state: WindowState): void {
    const [name, value, policyName, policyValue] = headers(state);
    reply.header(name, value).header(policyName, policyValue);
  }

  return {
    count: (key: string) => windows.count(key),
    look: (key: string) => windows.look(key),
    isUsedUp: (key: string) => windows.isUsedUp(key),
    headers,
    tell,
    refusal(reply: FastifyReply, state: WindowState): HttpError {
      tell(reply, state);
      return new HttpError("rate-limited", { limit, retryAfterSeconds: state.seconds });
    },
  };
}
