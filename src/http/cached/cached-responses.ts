// Responses to reads that are cached in this replica's memory, and sent again while the database says that nothing of what
// they show has changed (rental/freshness.ts). Nothing is ever shown for a time: each request has its token looked up
// first, and with it whether its account or the catalog has changed since the response was read, on whatever server.
//
// Invariants: a response belongs to one account, or to all where its source is the catalog, and to one compatibility
// version (the key has both); memory is limited: of more than that, those that were read from the database longest ago go.
// Used by cached-or-read.ts and fast-path.ts.

import { LRUCache } from "lru-cache";
import { type DatabaseSnapshot, isUnchanged, type Source } from "../../rental/freshness.ts";

export interface CachedResponse {
  /** Taken before anything of it was read. */
  readonly moment: DatabaseSnapshot;
  readonly source: Source;
  /** By the database's clock, in milliseconds: from then on time alone makes it another. */
  readonly validUntilMs: number;
  readonly etag: string;
  readonly type: string;
  /** The Link header, where it has one. */
  readonly link: string | undefined;
  readonly body: Buffer;
}

const defaultMaxBytes = 32 * 1024 ** 2;
/** What a response takes besides its body, about. */
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

  /** The response under this key, if it still says what is so at that moment. */
  find(key: string, now: DatabaseSnapshot): CachedResponse | undefined {
    // What is read often is not newer for it, so the order stays that of reading.
    const response = this.#responses.peek(key);
    if (response === undefined) return undefined;
    if (isUnchanged(response.source, response.moment, now) && now.nowMs < response.validUntilMs) return response;
    this.#responses.delete(key);
    return undefined;
  }

  /** Stores it in place of the one before, unless that one is newer. */
  keep(key: string, response: CachedResponse): void {
    const before = this.#responses.peek(key);
    const isNewer = before?.moment.run === response.moment.run && before.moment.horizon > response.moment.horizon;
    if (!isNewer) this.#responses.set(key, response);
  }
}

function sizeOf(key: string, { body }: CachedResponse): number {
  // Twice: sender.ts has it as a text besides.
  return body.length * 2 + key.length * 2 + overheadBytes;
}
