// XDR (RFC 4506), as far as libvirt's messages have it. Used by the files of this folder.

/** Values one after the other, as the body of a message. */
export class XdrWriter {
  readonly #parts: Buffer[] = [];

  uint(value: number): this {
    const part = Buffer.alloc(4);
    part.writeUInt32BE(value);
    this.#parts.push(part);
    return this;
  }

  /** Of 64 bits. */
  hyper(value: number): this {
    const part = Buffer.alloc(8);
    part.writeBigUInt64BE(BigInt(value));
    this.#parts.push(part);
    return this;
  }

  text(value: string): this {
    const bytes = Buffer.from(value, "utf8");
    return this.uint(bytes.length).fixed(bytes);
  }

  /** Without a length: the reader knows it. */
  fixed(bytes: Uint8Array): this {
    this.#parts.push(Buffer.from(bytes), Buffer.alloc(paddingOf(bytes.length)));
    return this;
  }

  /** A text that could be missing. */
  someText(value: string): this {
    return this.uint(1).text(value);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

/** Reads the same values in the same order. Throws RangeError where the message is too short. */
export class XdrReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  uint(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }

  int(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  skip(bytes: number): void {
    this.#at += bytes;
  }

  text(): string {
    return this.fixed(this.uint()).toString("utf8");
  }

  someText(): string | undefined {
    return this.uint() === 0 ? undefined : this.text();
  }

  /** All that is left. */
  rest(): Buffer {
    const from = this.#at;
    this.#at = this.#bytes.length;
    return this.#bytes.subarray(from);
  }

  fixed(length: number): Buffer {
    const from = this.#at;
    this.#at += length + paddingOf(length);
    if (this.#at > this.#bytes.length) throw new RangeError("a message of libvirt is too short");
    return this.#bytes.subarray(from, from + length);
  }

  /** An array: its length, and then each item, which takes four bytes or more. */
  list<T>(item: () => T): T[] {
    const length = this.uint();
    if (length * 4 > this.#bytes.length - this.#at) throw new RangeError("a message of libvirt is too short");
    return Array.from({ length }, item);
  }
}

/** Everything begins at a multiple of four bytes. */
function paddingOf(length: number): number {
  return (4 - (length % 4)) % 4;
}
