// Which requests were answered from what is kept, by their Authorization header and address: so that the next one like
// it can take the short way (fast-path.ts). One for each port, for an address means something on its port only.
// Invariant: bounded, in number and in size; where there are too many, all are forgotten and found again.

import type { IncomingMessage } from "node:http";
import type { Scope } from "../../rental/service.ts";
import type { CompatibilityVersion } from "../../rules/compatibility-versions.ts";

/** What is longer is not worth remembering: nobody polls with it but to fill the memory. */
const mostLetters = 1024;

/** What a request that took the long way showed about those like it. */
export interface FastPathEntry {
  /** The Host header, which may decide what an address means. */
  readonly host: string | undefined;
  /** In hex. */
  readonly tokenHash: string;
  /** Whose token it is. */
  readonly accountId: string;
  /** What it is pinned to. */
  readonly compatibilityVersion: CompatibilityVersion | null;
  /** The token must have one of these. */
  readonly scopes: readonly Scope[];
  /** Of the kept answer. */
  readonly key: string;
  /** Where it is counted. */
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

  /** The way of a request like this one; undefined where none is known, and for what has or may have a body. */
  find({ method, url, headers }: Pick<IncomingMessage, "method" | "url" | "headers">): FastPathEntry | undefined {
    const { authorization } = headers;
    if (method !== "GET" || authorization === undefined || url === undefined) return undefined;
    const way = this.#byHeader.get(authorization)?.get(url);
    if (way === undefined || way.host !== headers.host) return undefined;
    const mayHaveBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
    return mayHaveBody || headers.expect !== undefined ? undefined : way;
  }

  /** `url`: as the client wrote it. */
  remember(authorization: string, url: string, way: FastPathEntry): void {
    if (authorization.length + url.length > mostLetters) return;
    if (this.#size >= this.#most) {
      this.#byHeader.clear();
      this.#size = 0;
    }
    const ways = this.#byHeader.get(authorization) ?? new Map<string, FastPathEntry>();
    if (!ways.has(url)) this.#size += 1;
    ways.set(url, way);
    this.#byHeader.set(authorization, ways);
  }
}
