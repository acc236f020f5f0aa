import { spawnSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sshpk from "sshpk";
import { afterAll, describe, expect, it } from "vitest";
import { generateKeyPair } from "./key-pair.ts";
import { fingerprint, parsePublicKey } from "./public-key.ts";

/** Lengths 0 to 16 need every length of padding. */
const comments = [
  "ada@laptop",
  "my key",
  "",
  ...Array.from({ length: 16 }, (_, length) => "x".repeat(length + 1)),
  "日本語",
];

describe("a generated key pair", () => {
  it("has a public key that we accept ourselves, with its comment", () => {
    for (const comment of comments) {
      const { publicKey } = generateKeyPair(comment);
      expect(parsePublicKey(publicKey)).toMatchObject({ ok: true, key: { kind: "ssh-ed25519", comment } });
      expect(publicKey).toBe(publicKey.trim());
    }
  });

  it("has a private key that sshpk reads, and that belongs to the public one", () => {
    for (const comment of comments) {
      const { publicKey, privateKey } = generateKeyPair(comment);
      const read = sshpk.parsePrivateKey(privateKey, "openssh");
      expect([read.type, read.size]).toEqual(["ed25519", 256]);
      // sshpk gives a key without a comment one of its own.
      expect(read.comment).toBe(comment === "" ? "(unnamed)" : comment);
      const blob = (line: string) => line.split(" ").slice(0, 2);
      expect(blob(read.toPublic().toString("ssh"))).toEqual(blob(publicKey));
    }
  });

  it("signs what its public key verifies", () => {
    const { publicKey, privateKey } = generateKeyPair("ada");
    const signer = sshpk.parsePrivateKey(privateKey, "openssh").createSign("sha512");
    signer.update("hello");
    const point = Buffer.from(publicKey.split(" ")[1] ?? "", "base64").subarray(-32);
    const jwk = { kty: "OKP", crv: "Ed25519", x: point.toString("base64url") };
    const key = createPublicKey({ key: jwk, format: "jwk" });
    expect(verify(null, Buffer.from("hello"), key, signer.sign().toBuffer("raw"))).toBe(true);
  });

  it("has a private key written as ssh-keygen writes it", () => {
    const lines = generateKeyPair("ada@laptop").privateKey.split("\n");
    expect(lines.at(0)).toBe("-----BEGIN OPENSSH PRIVATE KEY-----");
    expect(lines.at(-2)).toBe("-----END OPENSSH PRIVATE KEY-----");
    expect(lines.at(-1)).toBe("");
    // The same comment makes ssh-keygen's file five full lines and one of 44 characters.
    expect(lines.slice(1, -2).map((line) => line.length)).toEqual([70, 70, 70, 70, 44]);
    // Everything before the public key is the same in every such file.
    expect(lines[1]).toBe("b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW");
    expect(lines.slice(1, -2).join("")).toMatch(/^[A-Za-z0-9+/]+={0,2}$/);
  });

  it("is another one every time", () => {
    const pairs = Array.from({ length: 50 }, () => generateKeyPair(""));
    expect(new Set(pairs.map((pair) => pair.publicKey)).size).toBe(50);
    expect(new Set(pairs.map((pair) => pair.privateKey)).size).toBe(50);
  });

  it("has a private key that nobody can add as a public one by mistake", () => {
    expect(parsePublicKey(generateKeyPair("ada").privateKey)).toMatchObject({ ok: false, reason: "private-key" });
  });

  it.each(["a\nb", "a\0b", "a\u2028b", "\ud800"])("has no comment such as %j", (comment) => {
    expect(() => generateKeyPair(comment)).toThrow("BUG");
  });
});

// Besides sshpk, where the machine has it: the program that customers will give the file to.
describe.skipIf(spawnSync("ssh-keygen", ["-?"], { stdio: "ignore" }).error !== undefined)("read by ssh-keygen", () => {
  const directory = mkdtempSync(join(tmpdir(), "lessor-key-pair-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  it("gives the public key, with its comment and our fingerprint", () => {
    for (const comment of comments) {
      const { publicKey, privateKey } = generateKeyPair(comment);
      const path = join(directory, "key");
      writeFileSync(path, privateKey, { mode: 0o600 });
      const shown = (...args: string[]) =>
        spawnSync("ssh-keygen", [...args, "-f", path], { stdio: ["ignore", "pipe", "pipe"] });
      expect(shown("-y").stdout.toString()).toBe(`${publicKey}\n`);
      expect(shown("-l").stdout.toString()).toContain(fingerprint(publicKey.split(" ")[1] ?? ""));
    }
  });
});
