// Parses one OpenSSH public key line strictly: an accepted key is one that sshd accepts, in normal form. Own code,
// because libraries accept malformed keys and reject security keys. Source: decisions, SSH keys. Invariants: messages
// never repeat the input, because it can be a private key; and parsing the normal form gives the same key. Used by
// ssh-keys.ts.

import { createHash } from "node:crypto";
import { checkBody, type KeyKind, keyKinds, rsaBits, UnacceptableSize } from "./key-kinds.ts";
import { MalformedKey, WireReader } from "./wire.ts";

export interface PublicKey {
  readonly kind: KeyKind;
  /** The blob in canonical base64. */
  readonly base64: string;
  /** The text after the key, trimmed; can be empty. */
  readonly comment: string;
  /** `kind base64`: equal for equal keys. */
  readonly normalized: string;
}

const accepted = "Accepted are ed25519, ecdsa, rsa of 2048 bits or more, and the security-key kinds (sk-…)";
const giveLine = 'Use the one line of the .pub file, such as "ssh-ed25519 AAAA… comment".';
const makeOne = "Create one with: ssh-keygen -t ed25519";

export const maxPublicKeyBytes = 16_384;
const maxCommentCharacters = 256;

/** Every reason for rejection, with a message that says what to do. */
export const refusals = {
  "private-key":
    "This is a private key. Never share it; if it left your machine, replace it. Use the public key: the .pub file beside it.",
  empty: `The key is missing. ${giveLine}`,
  "too-long": `A public key line has at most ${maxPublicKeyBytes} bytes. ${giveLine}`,
  "more-than-one-line": `A public key is one line. ${giveLine} To add several keys, add each of them by itself.`,
  "other-format": `This is a public key in another format. Convert it with: ssh-keygen -i -f <file> (add -m PKCS8 or -m PEM as needed).`,
  "control-character": "The line holds control characters. Copy the .pub file again, or remove the comment.",
  "bad-unicode": "The line holds half of a surrogate pair. Copy the .pub file again, or remove the comment.",
  options: "The line has text before the key type, such as options. Start the line with the type: ssh-ed25519 AAAA…",
  certificate: "This is a certificate. Use the public key that it certifies: the .pub file without -cert in its name.",
  dsa: `DSA keys are not accepted, because they are too weak. ${makeOne}`,
  "unknown-kind": `This kind of key is not accepted. ${accepted}. ${giveLine}`,
  "missing-key": `There is no key after the key type. ${giveLine}`,
  "bad-base64": "The key is not valid base64; it might be cut off or wrapped. Copy the .pub file again.",
  "kind-mismatch": "The type at the start of the line does not match the key. Copy the .pub file again.",
  malformed: `The key is malformed; it might be cut off or altered. Copy the .pub file again.`,
  "trailing-bytes": "There is data after the end of the key. Copy the .pub file again.",
  "rsa-too-short": `An RSA key must have at least ${rsaBits.least} bits. ${makeOne}`,
  "rsa-too-long": `An RSA key can have at most ${rsaBits.most} bits. ${makeOne}`,
  "comment-too-long": `The comment after the key can have at most ${maxCommentCharacters} characters.`,
} as const satisfies Record<string, string>;
export type RefusalReason = keyof typeof refusals;

export type ParsedPublicKey =
  | { readonly ok: true; readonly key: PublicKey }
  | { readonly ok: false; readonly reason: RefusalReason; readonly message: string };

/** The key in `text`: one line, surrounding white space is ignored. Never throws, and never repeats the text. */
export function parsePublicKey(text: string): ParsedPublicKey {
  const result = parseLine(text);
  return typeof result === "string"
    ? { ok: false, reason: result, message: refusals[result] }
    : { ok: true, key: result };
}

/** As `ssh-keygen -l` shows it: `SHA256:` and the hash of the blob, in base64 without padding. */
export function fingerprint(base64: string): string {
  const hash = createHash("sha256").update(Buffer.from(base64, "base64")).digest("base64");
  return `SHA256:${hash.replace(/=+$/, "")}`;
}

function parseLine(text: string): PublicKey | RefusalReason {
  // First, so that a private key is always reported, whatever else is wrong.
  if (/BEGIN [A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File/i.test(text)) return "private-key";
  if (Buffer.byteLength(text) > maxPublicKeyBytes) return "too-long";
  const line = text.trim();
  if (line === "") return "empty";
  if (/^-{4,5} ?BEGIN /.test(line)) return "other-format";
  if (/[\r\n]/.test(line)) return "more-than-one-line";
  if (!line.isWellFormed()) return "bad-unicode";

  const [, kindText = "", base64, comment = ""] = /^([^ \t]+)(?:[ \t]+([^ \t]+)(?:[ \t]+(.*))?)?$/su.exec(line) ?? [];
  // Only tabs are allowed, between fields. Line and paragraph separators would end the line for other readers (YAML).
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(`${kindText}${base64 ?? ""}${comment}`)) return "control-character";
  const kind = keyKinds.find((known) => known === kindText);
  if (kind === undefined) return refuseKind(kindText, line);
  if (base64 === undefined) return "missing-key";
  const bad = checkBlob(kind, base64);
  if (bad !== undefined) return bad;
  if (Array.from(comment).length > maxCommentCharacters) return "comment-too-long";
  return { kind, base64, comment, normalized: `${kind} ${base64}` };
}

/** Why a line that begins with this word is rejected. */
function refuseKind(word: string, line: string): RefusalReason {
  if (isCertificate(word)) return "certificate";
  if (word === "ssh-dss") return "dsa";
  const typeComesLater = line
    .split(/[ \t]+/)
    .some((later) => later === "ssh-dss" || isCertificate(later) || keyKinds.some((known) => known === later));
  return typeComesLater ? "options" : "unknown-kind";
}

function isCertificate(word: string): boolean {
  return /-cert-v0[01]@openssh\.com$/.test(word);
}

function checkBlob(kind: KeyKind, base64: string): RefusalReason | undefined {
  const blob = Buffer.from(base64, "base64");
  // Node skips invalid characters; only encoding again verifies that the text was exact.
  if (blob.length === 0 || blob.toString("base64") !== base64) return "bad-base64";
  try {
    const wire = new WireReader(blob);
    if (wire.string().toString("latin1") !== kind) return "kind-mismatch";
    checkBody[kind](wire);
    return wire.afterTest() ? undefined : "trailing-bytes";
  } catch (error) {
    if (error instanceof MalformedKey) return "malformed";
    if (error instanceof UnacceptableSize) return error.reason;
    throw error;
  }
}
