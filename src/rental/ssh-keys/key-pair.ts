// Creates an ed25519 key pair in OpenSSH's formats. The private key's format is OpenSSH's PROTOCOL.key, written here
// because libraries for it need a native build. Nothing is stored: the private key is only in variant R's response
// (decisions, SSH keys). Used by ssh-keys.ts.

import { generateKeyPairSync, randomBytes } from "node:crypto";
import { wireString, wireUint32 } from "./wire.ts";

export interface KeyPair {
  /** One line without its end: `ssh-ed25519 AAAA… comment`. */
  readonly publicKey: string;
  /** SECRET. A whole file, with the newline at its end. Not protected by a passphrase. */
  readonly privateKey: string;
}

const kind = "ssh-ed25519";

/** A new pair. Throws "BUG: …" for a comment that is not one line; checkKeyName and similar rules prevent that. */
export function generateKeyPair(comment: string): KeyPair {
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(comment) || !comment.isWellFormed()) {
    throw new Error("BUG: the comment of a key pair is no line of text");
  }
  const { seed, point } = generateEd25519();
  const blob = Buffer.concat([wireString(kind), wireString(point)]);
  const line = `${kind} ${blob.toString("base64")}`;
  return {
    publicKey: comment === "" ? line : `${line} ${comment}`,
    privateKey: armoured(privateKeyFile(blob, seed, point, comment)),
  };
}

/** The 32 bytes from which an ed25519 key is made, and the 32 bytes of its public point. */
function generateEd25519(): { seed: Buffer; point: Buffer } {
  const { d, x } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
  if (d === undefined || x === undefined) throw new Error("BUG: a generated ed25519 key has no parts");
  return { seed: Buffer.from(d, "base64url"), point: Buffer.from(x, "base64url") };
}

/** PROTOCOL.key, sections 1 to 3, for one key and no cipher. */
function privateKeyFile(blob: Buffer, seed: Buffer, point: Buffer, comment: string): Buffer {
  // The same number twice: for encrypted files it verifies the passphrase.
  const check = randomBytes(4);
  const secret = Buffer.concat([
    check,
    check,
    wireString(kind),
    wireString(point),
    wireString(Buffer.concat([seed, point])),
    wireString(comment),
  ]);
  return Buffer.concat([
    Buffer.from("openssh-key-v1\0"),
    wireString("none"),
    wireString("none"),
    wireString(""),
    wireUint32(1),
    wireString(blob),
    wireString(Buffer.concat([secret, padding(secret.length)])),
  ]);
}

/** 1, 2, 3 … up to a multiple of 8, the block size of no cipher. */
function padding(length: number): Buffer {
  return Buffer.from(Array.from({ length: (8 - (length % 8)) % 8 }, (_, index) => index + 1));
}

/** Base64 in lines of 70 characters, as from ssh-keygen, between the two markers. */
function armoured(bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,70}/g) ?? [];
  return ["-----BEGIN OPENSSH PRIVATE KEY-----", ...lines, "-----END OPENSSH PRIVATE KEY-----", ""].join("\n");
}
