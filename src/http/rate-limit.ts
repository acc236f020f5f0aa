// How many requests a token may send in a minute. @fastify/rate-limit counts; its headers predate the IETF draft
// (draft-ietf-httpapi-ratelimit-headers-10), so the draft's RateLimit and RateLimit-Policy are written here.
// One counter serves all ports of a server. Every replica counts for itself.

import rateLimit from "@fastify/rate-limit";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { HttpRefusal } from "./errors/refusal.ts";

const windowSeconds = 60;

/** Counts the request and writes the headers. Throws HttpRefusal rate-limited. */
export type RateLimit = (request: FastifyRequest, reply: FastifyReply, tokenId: string) => Promise<void>;

/** `server` only carries the plug-in; the limit made here may be used by other servers too. */
export async function createRateLimit(server: FastifyInstance, perMinute: number): Promise<RateLimit> {
  const tokenIds = new WeakMap<FastifyRequest, string>();
  await server.register(rateLimit, { global: false, cache: 100_000 });
  const count = server.createRateLimit({
    max: perMinute,
    timeWindow: windowSeconds * 1000,
    keyGenerator: (request) => tokenIds.get(request) ?? "",
  });

  return async (request, reply, tokenId) => {
    tokenIds.set(request, tokenId);
    const state = await count(request);
    if (state.isAllowed) throw new Error("BUG: no token is exempt from the rate limit");
    const seconds = Math.max(1, state.ttlInSeconds);
    reply.header("ratelimit", `"minute";r=${state.remaining};t=${seconds}`);
    reply.header("ratelimit-policy", `"minute";q=${perMinute};w=${windowSeconds}`);
    if (state.isExceeded) throw new HttpRefusal("rate-limited", { retryAfterSeconds: seconds });
  };
}
