// Encryption at rest: AES-256-GCM with a current key and older ones. Encrypted values are text for a column:
//
//   v1.<key id>.<base64url of nonce (12 bytes) | ciphertext | tag (16 bytes)>
//
// Invariant: a value encrypted for one context decrypts only for that context, so a ciphertext copied to another row or
// column does not decrypt there. Keys are rotated by putting a new one first; old ones stay until nothing needs them.
// The current key can change while running; src/encryption/ ensures that every server can decrypt with it. Used for
// everything secret in the database: env_vars, login passwords, webhook secrets, cached responses.
//
// Nonces are random, which is safe for 2^32 encryptions with one key (NIST SP 800-38D, 8.3): 136 years at one a second.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { keyBytes } from "./parse-keys.ts";

const version = "v1";
const nonceBytes = 12;
const tagBytes = 16;

/** An encrypted text that does not decrypt. The message says why, and holds nothing secret. */
export class CannotOpen extends Error {
  readonly reason: "malformed" | "unknown-key" | "tampered";

  constructor(reason: CannotOpen["reason"], message: string) {
    super(message);
    this.name = "CannotOpen";
    this.reason = reason;
  }
}

export class KeyRing {
  #currentKeyId: string;
  /** In order of preference. */
  readonly #keys: Map<string, Buffer>;

  /** `keys`: 32 bytes each (parseKeys, loadOrCreateKeyFile). The first encrypts, all of them decrypt. */
  constructor(keys: readonly Buffer[]) {
    const [current] = keys;
    if (current === undefined) throw new Error("BUG: a key ring without a key");
    if (keys.some((key) => key.length !== keyBytes)) throw new Error(`BUG: a key that is not ${keyBytes} bytes`);
    this.#currentKeyId = idOfKey(current);
    this.#keys = new Map(keys.map((key) => [idOfKey(key), Buffer.from(key)]));
    if (this.#keys.size < keys.length) {
      throw new Error(
        "Two of the encryption keys have the same ID (or are the same). Replace the newer one with another key.",
      );
    }
  }

  /** The id of the current key. Not secret. */
  get currentKeyId(): string {
    return this.#currentKeyId;
  }

  /** The ids of all keys, in the order given; the first is the preferred one. Not secret. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  canOpen(keyId: string): boolean {
    return this.#keys.has(keyId);
  }

  /** Puts a key first, for decryption only until `makeCurrent`. One that is already there moves. Returns its id. */
  putFirst(key: Buffer): string {
    if (key.length !== keyBytes) throw new Error(`BUG: a key that is not ${keyBytes} bytes`);
    const id = idOfKey(key);
    const others = [...this.#keys].filter(([other]) => other !== id);
    this.#keys.clear();
    for (const [other, bytes] of [[id, Buffer.from(key)] as const, ...others]) this.#keys.set(other, bytes);
    return id;
  }

  /** Encrypts with this key from now on. */
  makeCurrent(keyId: string): void {
    if (!this.canOpen(keyId)) throw new Error(`BUG: key ${keyId} is not in the ring, so it cannot encrypt`);
    this.#currentKeyId = keyId;
  }

  /** Removes this key, so that it decrypts nothing. */
  forget(keyId: string): void {
    if (keyId === this.#currentKeyId) throw new Error(`BUG: key ${keyId} encrypts, so it cannot be removed`);
    this.#keys.delete(keyId);
  }

  /** Encrypts `plaintext`, a string as UTF-8, for `context` only, such as `instance:<id>:env_vars`. */
  seal(plaintext: string | Buffer, context: string): string {
    return this.sealWith(this.#currentKeyId, plaintext, context);
  }

  /** As `seal`, with a key of the ring other than the current one. Throws CannotOpen if it is not there. */
  sealWith(keyId: string, plaintext: string | Buffer, context: string): string {
    const nonce = randomBytes(nonceBytes);
    const header = `${version}.${keyId}`;
    const cipher = createCipheriv("aes-256-gcm", this.#key(keyId), nonce, { authTagLength: tagBytes });
    cipher.setAAD(authenticated(header, context));
    const ciphertext = Buffer.concat([cipher.update(toBytes(plaintext)), cipher.final()]);
    return `${header}.${Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64url")}`;
  }

  /** Decrypts a value of this context, as bytes. Throws CannotOpen. */
  open(sealed: string, context: string): Buffer {
    const { header, id, body } = parseSealed(sealed);
    const decipher = createDecipheriv("aes-256-gcm", this.#key(id), body.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(authenticated(header, context));
    decipher.setAuthTag(body.subarray(-tagBytes));
    try {
      return Buffer.concat([decipher.update(body.subarray(nonceBytes, -tagBytes)), decipher.final()]);
    } catch {
      throw new CannotOpen("tampered", "An encrypted value was altered, or belongs to another row.");
    }
  }

  /** As `open`, for an encrypted string. */
  openText(sealed: string, context: string): string {
    return this.open(sealed, context).toString("utf8");
  }

  #key(id: string): Buffer {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    const hint = "Add it to the encryption keys again, after the current one.";
    throw new CannotOpen("unknown-key", `A value is encrypted with key ${id}, which is missing. ${hint}`);
  }
}

/** The id of a key: the first 8 hexadecimal digits of its SHA-256. Not secret. */
export function idOfKey(key: Buffer): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 8);
}

/** The id of the key that encrypted this. Throws CannotOpen for anything that is not an encrypted value. */
export function keyIdOf(sealed: string): string {
  return parseSealed(sealed).id;
}

/** The prefix of every value encrypted with this key, and only this key. It has no LIKE wildcards. */
export function sealedPrefix(keyId: string): string {
  return `${version}.${keyId}.`;
}

/** Version and key id are authenticated too, and the three parts are unambiguous. */
function authenticated(header: string, context: string): Buffer {
  return toBytes(`${header}.${context}`);
}

function toBytes(text: string | Buffer): Buffer {
  if (typeof text !== "string") return text;
  // A lone surrogate has no UTF-8 bytes: it would be encoded as another character, and two contexts could be equal.
  if (!text.isWellFormed()) throw new Error("BUG: a lone surrogate cannot be encrypted");
  return Buffer.from(text, "utf8");
}

function parseSealed(sealed: string): { header: string; id: string; body: Buffer } {
  const [, header, id, text] = /^(v1\.([0-9a-f]{8}))\.([A-Za-z0-9_-]+)$/.exec(sealed) ?? [];
  if (header === undefined || id === undefined || text === undefined) throw malformed();
  const body = Buffer.from(text, "base64url");
  // Canonical base64url: the last letter's unused bits are zero.
  if (body.length < nonceBytes + tagBytes || body.toString("base64url") !== text) throw malformed();
  return { header, id, body };
}

function malformed(): CannotOpen {
  return new CannotOpen("malformed", "A value that must be encrypted is not encrypted.");
}
