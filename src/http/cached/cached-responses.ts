// Answers to reads that are kept in this server's memory, and shown again while the database says that nothing of what
// they show has changed (rental/freshness.ts). Nothing is ever shown for a time: each request has its token looked up
// first, and with it whether its account or the catalogue has changed since the answer was read, on whatever server.
//
// Invariants: an answer belongs to one account, or to all where its source is the catalogue, and to one compatibility
// version (the key has both); memory is bounded: of more
// than that, those that were read longest ago are forgotten. Used by ../operations.ts and front.ts.

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
/** What an answer takes besides its body, about. */
const overheadBytes = 1024;

export class CachedResponses {
  /** The one that was read longest ago is first. */
  readonly #answers = new Map<string, CachedResponse>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = defaultMaxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** The answer under this key, if it still says what is so at that moment. */
  find(key: string, now: DatabaseSnapshot): CachedResponse | undefined {
    const answer = this.#answers.get(key);
    if (answer === undefined) return undefined;
    if (!isUnchanged(answer.source, answer.moment, now) || now.nowMs >= answer.validUntilMs) {
      this.#forget(key, answer);
      return undefined;
    }
    return answer;
  }

  /** Keeps it in place of the one before, unless that one is newer. */
  keep(key: string, answer: CachedResponse): void {
    const before = this.#answers.get(key);
    if (before !== undefined) {
      if (before.moment.run === answer.moment.run && before.moment.horizon > answer.moment.horizon) return;
      this.#forget(key, before);
    }
    const size = sizeOf(key, answer);
    if (size > this.#maxBytes / 4) return;
    this.#answers.set(key, answer);
    this.#bytes += size;
    for (const [oldest, one] of this.#answers) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(oldest, one);
    }
  }

  #forget(key: string, answer: CachedResponse): void {
    if (this.#answers.delete(key)) this.#bytes -= sizeOf(key, answer);
  }
}

function sizeOf(key: string, { body }: CachedResponse): number {
  // Twice: sender.ts has it as a text besides.
  return body.length * 2 + key.length * 2 + overheadBytes;
}
