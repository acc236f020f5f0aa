// The accepted kinds of public keys and their contents, as one table: each type name has a check of what follows it in
// the blob. Sources: RFC 4253 6.6 (rsa), RFC 5656 3.1 (ecdsa), RFC 8709 4 (ed25519), OpenSSH's PROTOCOL.u2f (the
// security-key kinds). Used by public-key.ts.

import { ECDH } from "node:crypto";
import { MalformedKey, type WireReader } from "./wire.ts";

export const keyKinds = [
  "ssh-ed25519",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "ssh-rsa",
  "sk-ssh-ed25519@openssh.com",
  "sk-ecdsa-sha2-nistp256@openssh.com",
] as const;
export type KeyKind = (typeof keyKinds)[number];

/** Sizes of an RSA modulus in bits. Smaller ones are too weak (decisions, SSH keys); OpenSSH rejects larger ones. */
export const rsaBits = { least: 2048, most: 16_384 } as const;

/** Well formed, but of a size that is not accepted. */
export class UnacceptableSize extends Error {
  readonly reason: "rsa-too-short" | "rsa-too-long";

  constructor(reason: UnacceptableSize["reason"]) {
    super(reason);
    this.name = "UnacceptableSize";
    this.reason = reason;
  }
}

/**
 * Reads what follows the type's name in a blob. Each throws MalformedKey, or UnacceptableSize; none checks for trailing
 * bytes.
 */
export const checkBody: Record<KeyKind, (wire: WireReader) => void> = {
  "ssh-ed25519": checkEd25519,
  "ecdsa-sha2-nistp256": (wire) => checkEcdsa(wire, "nistp256"),
  "ecdsa-sha2-nistp384": (wire) => checkEcdsa(wire, "nistp384"),
  "ecdsa-sha2-nistp521": (wire) => checkEcdsa(wire, "nistp521"),
  "ssh-rsa": checkRsa,
  "sk-ssh-ed25519@openssh.com": (wire) => {
    checkEd25519(wire);
    checkApplication(wire);
  },
  "sk-ecdsa-sha2-nistp256@openssh.com": (wire) => {
    checkEcdsa(wire, "nistp256");
    checkApplication(wire);
  },
};

function checkEd25519(wire: WireReader): void {
  if (wire.string().length !== 32) throw new MalformedKey("an ed25519 key has 32 bytes");
}

/** Each curve's name in OpenSSL, and the bytes of an uncompressed point: 4, then both coordinates. */
const curves = {
  nistp256: { openssl: "prime256v1", pointBytes: 65 },
  nistp384: { openssl: "secp384r1", pointBytes: 97 },
  nistp521: { openssl: "secp521r1", pointBytes: 133 },
} as const;

function checkEcdsa(wire: WireReader, curve: keyof typeof curves): void {
  if (wire.string().toString("latin1") !== curve) throw new MalformedKey("the curve is not the one of the type");
  const { openssl, pointBytes } = curves[curve];
  const point = wire.string();
  if (point.length !== pointBytes || point[0] !== 4) throw new MalformedKey("the point is not an uncompressed one");
  try {
    // Reads the point, and so checks that it is on the curve.
    ECDH.convertKey(point, openssl, undefined, undefined, "uncompressed");
  } catch {
    throw new MalformedKey("the point is not on the curve");
  }
}

function checkRsa(wire: WireReader): void {
  const exponent = wire.positiveInteger();
  const modulus = wire.positiveInteger();
  const bits = modulus.toString(2).length;
  if (bits < rsaBits.least) throw new UnacceptableSize("rsa-too-short");
  if (bits > rsaBits.most) throw new UnacceptableSize("rsa-too-long");
  if (modulus % 2n === 0n) throw new MalformedKey("a modulus is odd");
  if (exponent < 3n || exponent % 2n === 0n || exponent >= modulus) {
    throw new MalformedKey("an exponent is odd, at least 3, and below the modulus");
  }
}

/** Usually `ssh:`. Printable ASCII, as every application string that exists is. */
function checkApplication(wire: WireReader): void {
  if (!/^[\x21-\x7e]+$/.test(wire.string().toString("latin1")))
    throw new MalformedKey("the application is not printable");
}
