// Responses to reads that are cached in this replica's memory, and sent again while the database says that nothing they
// show has changed (rental/freshness.ts). None is trusted for a time: each request has its token looked up first, and
// with it whether its account or the catalog has changed since the response was read, on any replica.
//
// Invariants: a response belongs to one account, or to all if its source is the catalog, and to one compatibility
// version (the key has both); memory is limited: beyond that, the responses read from the database longest ago are
// dropped. Used by cached-or-read.ts and fast-path.ts.

import { LRUCache } from "lru-cache";
import { type DatabaseSnapshot, isUnchanged, type Source } from "../../rental/freshness.ts";

export interface CachedResponse {
  /** Taken before reading. */
  readonly moment: DatabaseSnapshot;
  readonly source: Source;
  /** By the database's clock, in milliseconds: from then on it may change with time alone. */
  readonly validUntilMs: number;
  readonly etag: string;
  readonly type: string;
  /** The Link header, if any. */
  readonly link: string | undefined;
  readonly body: Buffer;
}

const defaultMaxBytes = 32 * 1024 ** 2;
/** About what a response takes besides its body. */
const overheadBytes = 1024;

export class CachedResponses {
  readonly #responses: LRUCache<string, CachedResponse>;

  constructor(maxBytes = defaultMaxBytes) {
    const maxEntrySize = Math.floor(maxBytes / 4);
    this.#responses = new LRUCache({
      maxSize: maxBytes,
      maxEntrySize,
      sizeCalculation: (one, key) => sizeOf(key, one),
    });
  }

  /** The response under this key, if it is still current at that moment. */
  find(key: string, now: DatabaseSnapshot): CachedResponse | undefined {
    // Reading an entry does not renew it, so the order stays that of reading from the database.
    const response = this.#responses.peek(key);
    if (response === undefined) return undefined;
    if (isUnchanged(response.source, response.moment, now) && now.nowMs < response.validUntilMs) return response;
    this.#responses.delete(key);
    return undefined;
  }

  /** Replaces the stored response, unless that is newer. */
  keep(key: string, response: CachedResponse): void {
    const before = this.#responses.peek(key);
    const isNewer = before?.moment.run === response.moment.run && before.moment.horizon > response.moment.horizon;
    if (!isNewer) this.#responses.set(key, response);
  }
}

function sizeOf(key: string, { body }: CachedResponse): number {
  // Twice, because sender.ts also has it as a string.
  return body.length * 2 + key.length * 2 + overheadBytes;
}
