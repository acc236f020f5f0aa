// The data types of the SSH protocol (RFC 4251, section 5) that keys need: strict reading, and writing. Invariant of
// the reader: it never reads beyond the end, and accepts numbers only in canonical form. Used by key-kinds.ts and
// key-pair.ts.

/** The bytes violate the format. */
export class MalformedKey extends Error {
  constructor(what: string) {
    super(what);
    this.name = "MalformedKey";
  }
}

/** Reads values in sequence. Every method throws MalformedKey if its value is missing or invalid. */
export class WireReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** A length of four bytes, and so many bytes. */
  string(): Buffer {
    const start = this.#offset + 4;
    if (start > this.#bytes.length) throw new MalformedKey("a length is cut off");
    const end = start + this.#bytes.readUInt32BE(this.#offset);
    if (end > this.#bytes.length) throw new MalformedKey("a value is cut off");
    this.#offset = end;
    return this.#bytes.subarray(start, end);
  }

  /** A positive integer in its shortest form: RFC 4251 forbids superfluous leading zeros, and a set top bit is a sign. */
  positiveInteger(): bigint {
    const bytes = this.string();
    const [first, second] = bytes;
    if (first === undefined) throw new MalformedKey("a number is zero");
    if (first >= 0x80) throw new MalformedKey("a number is negative");
    if (first === 0 && (second === undefined || second < 0x80))
      throw new MalformedKey("a number has a superfluous zero");
    return BigInt(`0x${bytes.toString("hex")}`);
  }

  /** Whether everything has been read. */
  afterTest(): boolean {
    return this.#offset === this.#bytes.length;
  }
}

/** The bytes (text as UTF-8) behind their length. */
export function wireString(value: Buffer | string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([wireUint32(bytes.length), bytes]);
}

/** Four bytes, most significant first. */
export function wireUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
