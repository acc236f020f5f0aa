// A read of an operation that is `cached`: the cached response if it is still valid, else a new one, which is cached.
// Used by ../api/operations.ts.

import type { FastifyReply, FastifyRequest } from "fastify";
import type { DatabaseSnapshot, Source } from "../../rental/freshness.ts";
import { seesNotebooks, seesSecrets } from "../../rental/people/permits.ts";
import type { Scope } from "../../rental/service.ts";
import { hashToken } from "../../secrets/token.ts";
import { versionFor } from "../api/compatibility.ts";
import { etagOf } from "../api/conditional.ts";
import { principalOf } from "../auth/authorize.ts";
import { tokenIn } from "../auth/bearer.ts";
import type { CachedResponse, CachedResponses } from "./cached-responses.ts";
import type { FastPathIndex } from "./fast-path-index.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The fast-path index of this port. */
    fastPaths: FastPathIndex;
  }
  interface FastifyRequest {
    /** When its token was looked up; null before that. */
    moment: DatabaseSnapshot | null;
  }
}

/** The response to a read, as sent. */
export interface ReadAnswer {
  readonly body: string | Buffer;
  /** The media type. */
  readonly type: string;
  readonly etag: string;
}

export function tagged(given: Omit<ReadAnswer, "etag">): ReadAnswer {
  return { ...given, etag: etagOf(given.body) };
}

export interface CachedRead {
  readonly source: Source;
  readonly operation: { readonly interface: string; readonly id: string };
  /** The token must have one of these. */
  readonly scopes: readonly Scope[];
  /** Reads the response, and writes a Link header if there is one. */
  readonly give: (validUntil: (milliseconds: number) => void) => Promise<Omit<ReadAnswer, "etag">>;
}

/** The response, new from `give` or cached. The Link header is on the reply then. Throws what `give` throws. */
export async function cachedOrRead(
  cached: CachedResponses,
  request: FastifyRequest,
  reply: FastifyReply,
  read: CachedRead,
): Promise<ReadAnswer> {
  const { source, give } = read;
  const moment = momentOf(request);
  const key = keyOf(read, request);
  const answer = cached.find(key, moment) ?? (await anew());
  // Rejections have thrown before: only a success is indexed.
  rememberWay(request, read, key);
  if (answer.link !== undefined) reply.header("link", answer.link);
  return answer;

  async function anew(): Promise<CachedResponse> {
    let validUntilMs = Number.POSITIVE_INFINITY;
    const given = await give((milliseconds) => {
      validUntilMs = milliseconds;
    });
    const body = Buffer.from(given.body);
    const link = reply.getHeader("link")?.toString();
    const read = { moment, source, validUntilMs, link, type: given.type, body, etag: etagOf(body) };
    cached.keep(key, read);
    return read;
  }
}

function momentOf({ moment }: FastifyRequest): DatabaseSnapshot {
  if (moment === null) throw new Error("BUG: a read that is cached, without a look-up");
  return moment;
}

/** What a response may depend on besides its source. */
function keyOf({ source, operation }: CachedRead, request: FastifyRequest): string {
  const principal = principalOf(request);
  // Login secrets are shown only to some.
  const secrets = seesSecrets(principal) ? "all" : seesNotebooks(principal) ? "notebooks" : "none";
  const whose = source === "account" ? `${principal.accountId} ${secrets}` : "all";
  return `${whose} ${versionFor(request) ?? "current"} ${operation.interface} ${operation.id} ${request.url}`;
}

/** The next request like this one may take the fast path (fast-path.ts). */
function rememberWay(request: FastifyRequest, { operation, scopes }: CachedRead, key: string): void {
  const { authorization = "", host } = request.headers;
  const token = tokenIn(authorization);
  if (token === undefined) return;
  const tokenHash = hashToken(token).toString("hex");
  const route = request.routeOptions.url ?? "";
  const { accountId, person } = principalOf(request);
  const { compatibilityVersion } = request;
  const role = person?.role ?? null;
  const entry = { host, tokenHash, accountId, role, compatibilityVersion, scopes, key, operation, route };
  request.server.fastPaths.remember(authorization, request.originalUrl, entry);
}
