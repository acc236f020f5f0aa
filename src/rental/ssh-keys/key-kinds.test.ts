import { createECDH } from "node:crypto";
import { describe, expect, it } from "vitest";
import { blobOf, integerBytes, realKeys } from "../../../test/support/ssh-key-fixtures.ts";
import { checkBody, type KeyKind, UnacceptableSize } from "./key-kinds.ts";
import { MalformedKey, WireReader, wireString } from "./wire.ts";

/** Checks the body of a key of this kind that consists of these strings. */
function check(kind: KeyKind, ...parts: (Buffer | string)[]): void {
  checkBody[kind](new WireReader(Buffer.concat(parts.map(wireString))));
}

const curves = [
  ["nistp256", "prime256v1", 32],
  ["nistp384", "secp384r1", 48],
  ["nistp521", "secp521r1", 66],
] as const;

describe.each(["ssh-ed25519", "sk-ssh-ed25519@openssh.com"] as const)("%s", (kind) => {
  const rest = kind === "ssh-ed25519" ? [] : ["ssh:"];

  it("has 32 bytes", () => {
    expect(() => check(kind, Buffer.alloc(32, 7), ...rest)).not.toThrow();
    for (const length of [0, 31, 33, 64])
      expect(() => check(kind, Buffer.alloc(length), ...rest)).toThrow(MalformedKey);
  });
});

describe.each(curves)("ecdsa on %s", (curve, openssl, size) => {
  const kind = `ecdsa-sha2-${curve}` as const;
  const ecdh = createECDH(openssl);
  ecdh.generateKeys();
  const point = ecdh.getPublicKey();

  it("is a point on the curve", () => {
    expect(() => check(kind, curve, point)).not.toThrow();
    expect(point).toHaveLength(1 + 2 * size);
  });

  it("names the curve of its type", () => {
    for (const [other] of curves.filter(([name]) => name !== curve)) {
      expect(() => check(kind, other, point)).toThrow(MalformedKey);
    }
    expect(() => check(kind, "", point)).toThrow(MalformedKey);
    expect(() => check(kind, `${curve}\0`, point)).toThrow(MalformedKey);
  });

  it("is not a point beside the curve, nor the one at infinity", () => {
    for (const at of [1, size, size + 1, 2 * size]) {
      const beside = Buffer.from(point);
      beside[at] = (beside[at] ?? 0) ^ 1;
      expect(() => check(kind, curve, beside)).toThrow(MalformedKey);
    }
    expect(() => check(kind, curve, Buffer.concat([Buffer.from([4]), Buffer.alloc(2 * size)]))).toThrow(MalformedKey);
    expect(() => check(kind, curve, Buffer.from([0]))).toThrow(MalformedKey);
  });

  it("has coordinates below the field's size, so that a point is written in one way", () => {
    expect(() => check(kind, curve, Buffer.concat([Buffer.from([4]), Buffer.alloc(2 * size, 0xff)]))).toThrow(
      MalformedKey,
    );
  });

  it("is uncompressed, and of the right length", () => {
    const hybrid = Buffer.from(point);
    hybrid[0] = 6 + ((point.at(-1) ?? 0) & 1);
    const shorter = point.subarray(0, -1);
    const longer = Buffer.concat([point, Buffer.from([0])]);
    const bad = [ecdh.getPublicKey(null, "compressed"), hybrid, shorter, longer, Buffer.alloc(0)];
    for (const other of bad) expect(() => check(kind, curve, other)).toThrow(MalformedKey);
  });
});

describe("ssh-rsa", () => {
  const exponent = integerBytes(65_537n);
  const modulus = (1n << 2047n) + 12_345n;
  const rsa = (e: Buffer, n: Buffer) => check("ssh-rsa", e, n);

  it("is an exponent and a modulus", () => {
    expect(() => rsa(exponent, integerBytes(modulus))).not.toThrow();
    expect(() => check("ssh-rsa", exponent)).toThrow(MalformedKey);
  });

  it.each([0n, 1n, 2n, 4n, 65_536n])("has no exponent such as %i", (bad) => {
    expect(() => rsa(integerBytes(bad), integerBytes(modulus))).toThrow(MalformedKey);
  });

  it("has an exponent below the modulus", () => {
    expect(() => rsa(integerBytes(modulus - 2n), integerBytes(modulus))).not.toThrow();
    expect(() => rsa(integerBytes(modulus), integerBytes(modulus))).toThrow(MalformedKey);
  });

  it("has an odd modulus", () => {
    expect(() => rsa(exponent, integerBytes(modulus + 1n))).toThrow(MalformedKey);
  });

  it("has numbers in their shortest form, and none that is negative", () => {
    const padded = Buffer.concat([Buffer.from([0]), integerBytes(modulus)]);
    expect(() => rsa(exponent, padded)).toThrow(MalformedKey);
    expect(() => rsa(Buffer.from([0, 1, 0, 1]), integerBytes(modulus))).toThrow(MalformedKey);
    expect(() => rsa(exponent, integerBytes(modulus).subarray(1))).toThrow(MalformedKey);
    expect(() => rsa(Buffer.from([0x81]), integerBytes(modulus))).toThrow(MalformedKey);
  });

  it.each([
    [2047, "rsa-too-short"],
    [1024, "rsa-too-short"],
    [16_385, "rsa-too-long"],
  ] as const)("of %i bits is %s", (bits, reason) => {
    const wrong = integerBytes((1n << BigInt(bits - 1)) + 1n);
    expect(() => rsa(exponent, wrong)).toThrow(new UnacceptableSize(reason));
  });
});

describe("the application of a security key", () => {
  const ed25519 = blobOf(realKeys["ssh-ed25519"].line).subarray(-32);
  const point = blobOf(realKeys["ecdsa-sha2-nistp256"].line).subarray(-65);

  it.each(["ssh:", "ssh:work-laptop", "https://example.com"])("may be %s", (application) => {
    expect(() => check("sk-ssh-ed25519@openssh.com", ed25519, application)).not.toThrow();
    expect(() => check("sk-ecdsa-sha2-nistp256@openssh.com", "nistp256", point, application)).not.toThrow();
  });

  it.each(["", "ssh:\0", "ssh:\n", "ssh: x", "ssh:ü"])("may not be %j", (application) => {
    expect(() => check("sk-ssh-ed25519@openssh.com", ed25519, application)).toThrow(MalformedKey);
    expect(() => check("sk-ecdsa-sha2-nistp256@openssh.com", "nistp256", point, application)).toThrow(MalformedKey);
  });

  it("may not be missing", () => {
    expect(() => check("sk-ssh-ed25519@openssh.com", ed25519)).toThrow(MalformedKey);
  });
});
