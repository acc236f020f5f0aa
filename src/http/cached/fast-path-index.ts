// Which requests were answered from the cache, by their Authorization header and address, so that the next one can take
// the fast path (fast-path.ts). One for each port, because addresses are specific to a port.
// Invariant: limited, in number and in size; over the limit, all entries are dropped and collected again.

import type { IncomingMessage } from "node:http";
import type { Scope } from "../../rental/service.ts";
import type { CompatibilityVersion } from "../../rules/compatibility-versions.ts";
import type { TeamRole } from "../../rules/roles.ts";

/** Longer ones are not stored: a polling client does not need them, and they could fill the memory. */
const mostLetters = 1024;

/** What a request on the full request path showed about requests like it. */
export interface FastPathEntry {
  /** The Host header, which may select the mount. */
  readonly host: string | undefined;
  /** In hex. */
  readonly tokenHash: string;
  /** The owner of the token. */
  readonly accountId: string;
  /** The role of its person; null: a token of the team. */
  readonly role: TeamRole | null;
  /** The version that the token is pinned to. */
  readonly compatibilityVersion: CompatibilityVersion | null;
  /** The token must have one of these. */
  readonly scopes: readonly Scope[];
  /** The key of the cached response. */
  readonly key: string;
  /** The metrics labels. */
  readonly operation: { readonly interface: string; readonly id: string };
  /** The pattern of its route, for the log. */
  readonly route: string;
}

export class FastPathIndex {
  readonly #most: number;
  readonly #byHeader = new Map<string, Map<string, FastPathEntry>>();
  #size = 0;

  constructor(most = 10_000) {
    this.#most = most;
  }

  /** The entry of a request like this one; undefined if there is none, or the request may have a body. */
  find({ method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">): FastPathEntry | undefined {
    const { authorization } = headers;
    if (method !== "GET" || authorization === undefined || url === undefined) return undefined;
    const entry = this.#byHeader.get(authorization)?.get(url);
    if (entry === undefined || entry.host !== headers.host) return undefined;
    const mayHaveBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    return mayHaveBody || headers.expect !== undefined ? undefined : entry;
  }

  /** `url`: as sent by the client. */
  remember(authorization: string, url: string, entry: FastPathEntry): void {
    if (authorization.length + url.length > mostLetters) return;
    if (this.#size >= this.#most) {
      this.#byHeader.clear();
      this.#size = 0;
    }
    const byUrl = this.#byHeader.get(authorization) ?? new Map<string, FastPathEntry>();
    if (!byUrl.has(url)) this.#size += 1;
    byUrl.set(url, entry);
    this.#byHeader.set(authorization, byUrl);
  }
}
