// The last whole line of what a guest sends, for engines that read it as a stream.
//
// Invariant: whatever arrives, no more than two lines are in memory, and each byte is looked at a few times at most.

const LF = 10;
const CR = 13;

export class LatestLine {
  readonly #mostBytes: number;
  /** The beginning of the next line. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  /** The next line is too long already. */
  #isTooLong = false;
  #latest: Uint8Array | undefined;

  /** Longer lines are discarded. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  push(bytes: Uint8Array): void {
    const end = bytes.lastIndexOf(LF);
    if (end === -1) {
      this.#begin(bytes);
      return;
    }
    const before = end === 0 ? -1 : bytes.lastIndexOf(LF, end - 1);
    if (before === -1) this.#begin(bytes.subarray(0, end));
    else {
      // The line before it might be a whole one while the last is not; the next one comes soon.
      this.#forget();
      this.#begin(bytes.subarray(before + 1, end));
    }
    if (!this.#isTooLong) this.#end();
    this.#forget();
    this.#begin(bytes.subarray(end + 1));
  }

  /** The last line that was not taken yet. */
  take(): Uint8Array | undefined {
    const line = this.#latest;
    this.#latest = undefined;
    return line;
  }

  #begin(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#isTooLong) return;
    // One more for the carriage return of a terminal.
    if (this.#begunBytes + bytes.length > this.#mostBytes + 1) {
      this.#forget();
      this.#isTooLong = true;
      return;
    }
    // A copy: the rest of the buffer could be large.
    this.#begun.push(Uint8Array.from(bytes));
    this.#begunBytes += bytes.length;
    // Many small pieces would take more than their bytes.
    if (this.#begun.length > 16) this.#begun = [Buffer.concat(this.#begun)];
  }

  #end(): void {
    const line = Buffer.concat(this.#begun);
    const text = line.at(-1) === CR ? line.subarray(0, -1) : line;
    if (text.length > 0 && text.length <= this.#mostBytes) this.#latest = text;
  }

  #forget(): void {
    this.#begun = [];
    this.#begunBytes = 0;
    this.#isTooLong = false;
  }
}
