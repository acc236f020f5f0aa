// The text form of encryption keys, as LESSOR_ENCRYPTION_KEY and the key file hold them.
// Invariant: no message repeats any part of the text, which is a secret even when it is wrong.
// Used by config/values.ts and secrets/key-file.ts.

/** The text holds no usable keys. The message says what is allowed and which of several it means. */
export class BadKeys extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BadKeys";
  }
}

/** Bytes of an AES-256 key. */
export const keyBytes = 32;

/**
 * The keys in `text`, comma-separated, surrounding white space ignored: the first is current, the others only decrypt.
 * Each is 32 bytes, in 64 hexadecimal digits or in base64 or base64url, padded or not. Throws BadKeys.
 */
export function parseKeys(text: string): Buffer[] {
  return parseKeyList(text.split(",").map((part) => part.trim()));
}

/** The keys of these texts, in their order. Throws BadKeys for an invalid key, a duplicate, and an empty list. */
export function parseKeyList(texts: readonly string[]): Buffer[] {
  if (texts.length === 0) throw new BadKeys("There must be at least one key.");
  const keys = texts.map((text, index) => {
    const key = parseKey(text);
    if (key !== undefined) return key;
    const which = texts.length === 1 ? "The key" : `Key ${index + 1} of ${texts.length}`;
    throw new BadKeys(`${which} must be 32 bytes, in base64 (44 characters) or as 64 hexadecimal digits.`);
  });
  const distinct = new Set(keys.map((key) => key.toString("hex")));
  if (distinct.size < keys.length) throw new BadKeys("The same key is specified twice.");
  return keys;
}

function parseKey(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  // 32 bytes are 43 characters and one "=". Node accepts both alphabets and skips unknown characters, so only encoding
  // the bytes again proves that the text was exactly them.
  const unpadded = text.replace(/=$/, "");
  const key = Buffer.from(unpadded, "base64");
  if (key.length !== keyBytes) return undefined;
  return key.toString("base64url") === unpadded.replaceAll("+", "-").replaceAll("/", "_") ? key : undefined;
}
