import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { blobOf, lineOf, realKeys, refusedKeys, rsaLine } from "../../../test/support/ssh-key-fixtures.ts";
import { keyKinds } from "./key-kinds.ts";
import { fingerprint, type PublicKey, parsePublicKey, type RefusalReason, refusals } from "./public-key.ts";

const ed25519 = realKeys["ssh-ed25519"].line;
const [kind = "", base64 = ""] = ed25519.split(" ");
const bare = `${kind} ${base64}`;

/** A security key is the ordinary key with an application behind it. */
const securityKeys = {
  "sk-ssh-ed25519@openssh.com": lineOf("sk-ssh-ed25519@openssh.com", [blobOf(ed25519).subarray(-32), "ssh:"]),
  "sk-ecdsa-sha2-nistp256@openssh.com": lineOf("sk-ecdsa-sha2-nistp256@openssh.com", [
    "nistp256",
    blobOf(realKeys["ecdsa-sha2-nistp256"].line).subarray(-65),
    "ssh:work",
  ]),
};
const everyKind = [...Object.values(realKeys).map(({ line }) => line), ...Object.values(securityKeys)];

function accepted(text: string): PublicKey {
  const parsed = parsePublicKey(text);
  if (!parsed.ok) throw new Error(`refused: ${parsed.reason}`);
  return parsed.key;
}

function reason(text: string): RefusalReason | "accepted" {
  const parsed = parsePublicKey(text);
  return parsed.ok ? "accepted" : parsed.reason;
}

describe("an accepted key", () => {
  it("may be of every kind that is listed", () => {
    expect(everyKind.map((line) => accepted(line).kind).sort()).toEqual([...keyKinds].sort());
  });

  it("is taken apart, and has one normal form", () => {
    expect(accepted(ed25519)).toEqual({ kind: "ssh-ed25519", base64, comment: "ada@laptop", normalized: bare });
  });

  it("has the fingerprint that ssh-keygen shows", () => {
    for (const real of Object.values(realKeys)) expect(fingerprint(accepted(real.line).base64)).toBe(real.fingerprint);
  });

  it("is the same again when its normal form is parsed", () => {
    for (const line of everyKind) {
      const key = accepted(line);
      expect(accepted(key.normalized)).toEqual({ ...key, comment: "" });
    }
  });

  it.each([
    ["a newline at its end", `${ed25519}\n`],
    ["a Windows newline", `${ed25519}\r\n`],
    ["white space around it", ` \t\n${ed25519} \n\n`],
    ["a byte order mark before it", `\ufeff${ed25519}`],
    ["several spaces and tabs between its fields", `${kind} \t ${base64}\t\tada@laptop`],
  ])("may have %s", (_what, text) => {
    expect(accepted(text)).toEqual(accepted(ed25519));
  });

  it.each([
    "",
    "ada",
    "ada lovelace  1815",
    "日本語 😀",
    'no "quotes" are special #7',
    "x".repeat(256),
    "😀".repeat(256),
  ])("may have the comment %j", (comment) => {
    expect(accepted(`${bare} ${comment}`).comment).toBe(comment);
  });

  it("may be an RSA key of 2048 to 16384 bits with an odd exponent from 3", () => {
    for (const bits of [2048, 2049, 3072, 4096, 16_384]) expect(reason(rsaLine(bits))).toBe("accepted");
    expect(reason(rsaLine(2048, 3n))).toBe("accepted");
  });
});

describe("a refused key", () => {
  const privateKey = (name: string) => `-----BEGIN ${name}-----\nb3BlbnNzaC1rZXktdjEAAAAA\n-----END ${name}-----\n`;
  const cases: Record<RefusalReason, readonly string[]> = {
    "private-key": [
      ...["OPENSSH PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "ENCRYPTED PRIVATE KEY"].map(
        privateKey,
      ),
      "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nabc",
      "PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none",
      `${ed25519}\n${privateKey("OPENSSH PRIVATE KEY")}`,
      `${privateKey("OPENSSH PRIVATE KEY")}${"x".repeat(20_000)}`,
      "-----begin openssh private key-----",
      '{"key": "-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Blb"}',
    ],
    empty: ["", " ", "\n", "\r\n\t"],
    "too-long": [`${ed25519} ${"x".repeat(16_384)}`, `${ed25519}${"\n".repeat(17_000)}`, "😀".repeat(5000)],
    "more-than-one-line": [
      `${ed25519}\n${ed25519}`,
      `${ed25519}\r${ed25519}`,
      `${bare}\n# a comment`,
      `${kind}\n${base64}`,
      `${kind} ${base64.slice(0, 20)}\n${base64.slice(20)}`,
    ],
    "other-format": [
      '---- BEGIN SSH2 PUBLIC KEY ----\nComment: "x"\nAAAA\n---- END SSH2 PUBLIC KEY ----',
      "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----",
      "-----BEGIN RSA PUBLIC KEY-----\nMCow\n-----END RSA PUBLIC KEY-----",
    ],
    "control-character": [
      `${bare} a\0b`,
      `${bare} a\tb`,
      `${bare} a\x1b[31mb`,
      `${bare} a\x7f`,
      `${bare} a\u0085b`,
      `${bare} a\u2028b`,
      `${kind}\0 ${base64}`,
      `${kind} ${base64}\0`,
      `${kind}\v${base64}`,
    ],
    "bad-unicode": [`${bare} a\ud800`, `${bare} \udc00b`],
    options: [
      `no-pty ${ed25519}`,
      `command="echo hi" ${ed25519}`,
      `from="10.0.0.0/8",no-agent-forwarding ${ed25519}`,
      `cert-authority ${ed25519}`,
      `environment="A=b c" ${refusedKeys.dsa}`,
      `root@host: ${ed25519}`,
    ],
    certificate: [
      refusedKeys.certificate,
      "ssh-ed25519-cert-v01@openssh.com AAAA",
      "ssh-rsa-cert-v00@openssh.com AAAA",
    ],
    dsa: [refusedKeys.dsa, "ssh-dss"],
    "unknown-kind": [
      "hello",
      base64,
      `SSH-ED25519 ${base64}`,
      `ssh-ed448 ${base64}`,
      `rsa-sha2-256 ${base64}`,
      "ecdsa-sha2-nistp224 AAAA",
      "constructor AAAA",
      "1024 35 1234567890 ada@laptop",
      "# ssh-keys of ada",
      "https://github.com/ada.keys",
    ],
    "missing-key": [kind, `${kind} `, "ssh-rsa"],
    "bad-base64": [
      `${kind} ${base64}=`,
      `${kind} ${base64.slice(0, -1)}`,
      `${kind} ${base64.slice(0, 9)}-${base64.slice(10)}`,
      `${kind} ${base64.slice(0, 9)}*${base64.slice(10)}`,
      `${kind} "${base64}"`,
      `${kind} ====`,
      `${kind} ${realKeys["ecdsa-sha2-nistp256"].line.split(" ")[1]?.replace("=", "")}`,
      // The last letter's unused bits are not zero.
      `${kind} ${realKeys["ecdsa-sha2-nistp256"].line.split(" ")[1]?.replace("wc=", "wd=")}`,
      `${kind} ада@laptop`,
    ],
    "kind-mismatch": [
      `ssh-rsa ${base64}`,
      `ecdsa-sha2-nistp384 ${blobOf(realKeys["ecdsa-sha2-nistp256"].line).toString("base64")}`,
      `sk-ssh-ed25519@openssh.com ${base64}`,
      lineOf("ssh-ed25519", [Buffer.alloc(32, 1)], "ssh-ed25519\0"),
    ],
    // key-kinds.test.ts has them all.
    malformed: [`${kind} AAAA`, `${kind} ${base64.slice(0, -4)}`, lineOf(kind, [Buffer.alloc(31)])],
    "trailing-bytes": [
      `${kind} ${Buffer.concat([blobOf(ed25519), Buffer.from([0])]).toString("base64")}`,
      lineOf(kind, [Buffer.alloc(32, 1), ""]),
      lineOf("ssh-rsa", [Buffer.from([3]), blobOf(realKeys["ssh-rsa"].line).subarray(-257), "x"]),
    ],
    "rsa-too-short": [refusedKeys.weakRsa, rsaLine(2047), rsaLine(16)],
    "rsa-too-long": [rsaLine(16_385), rsaLine(65_536)],
    "comment-too-long": [`${bare} ${"x".repeat(257)}`, `${bare} ${"😀".repeat(257)}`],
  };

  describe.each(Object.entries(cases))("because of %s", (expected, texts) => {
    it.each(texts.map((text) => ({ text, shown: JSON.stringify(text).slice(0, 60) })))("is $shown", ({ text }) => {
      expect(reason(text)).toBe(expected);
    });
  });

  it("is refused in words of its own, that say what to do", () => {
    const messages = Object.values(refusals);
    expect(new Set(messages).size).toBe(messages.length);
    // What to do comes as an instruction: use, copy, add, start, create, convert, remove, or a limit.
    for (const message of messages)
      expect(message).toMatch(/\b(Use|Copy|Start|Create|Convert)\b|at most 256 characters/);
    for (const [expected, [text = ""]] of Object.entries(cases)) {
      expect(parsePublicKey(text)).toEqual({
        ok: false,
        reason: expected,
        message: refusals[expected as RefusalReason],
      });
    }
  });
});

describe("whatever is given", () => {
  it("is parsed without an exception, and never repeated in a message", () => {
    const line = fc.constantFrom(...everyKind, refusedKeys.dsa, refusedKeys.weakRsa);
    const odd = fc.oneof(fc.string({ unit: "binary" }), line, fc.constantFrom(" ", "\n", "\0", "AAAA", "-----BEGIN "));
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 5 }), (parts) => {
        const parsed = parsePublicKey(parts.join(""));
        if (!parsed.ok) expect(parsed.message).toBe(refusals[parsed.reason]);
      }),
    );
  });

  it("is accepted only if it says every byte of the key in one way", () => {
    const change = fc.record({
      line: fc.constantFrom(...everyKind),
      at: fc.nat(),
      byte: fc.integer({ min: 0, max: 255 }),
    });
    fc.assert(
      fc.property(change, ({ line, at, byte }) => {
        const blob = blobOf(line);
        blob[at % blob.length] = byte;
        const parsed = parsePublicKey(`${line.split(" ")[0]} ${blob.toString("base64")}`);
        if (parsed.ok) expect(Buffer.from(parsed.key.base64, "base64").equals(blob)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("is refused when it is cut short anywhere", () => {
    for (const line of everyKind) {
      const blob = blobOf(line);
      for (let length = 0; length < blob.length; length++) {
        expect(reason(`${line.split(" ")[0]} ${blob.subarray(0, length).toString("base64")}`)).not.toBe("accepted");
      }
    }
  });
});

// Besides the fixtures, where the machine has it: OpenSSH itself agrees about what we put together by hand.
describe.skipIf(spawnSync("ssh-keygen", ["-?"], { stdio: "ignore" }).error !== undefined)("read by ssh-keygen", () => {
  const directory = mkdtempSync(join(tmpdir(), "lessor-public-key-"));
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each([...everyKind, rsaLine(2048), rsaLine(16_384)].map((line) => ({ line, shown: line.slice(0, 44) })))(
    "$shown has the same fingerprint",
    ({ line }) => {
      const path = join(directory, "key.pub");
      writeFileSync(path, `${accepted(line).normalized}\n`);
      const run = spawnSync("ssh-keygen", ["-l", "-f", path], { stdio: ["ignore", "pipe", "pipe"] });
      expect(run.stdout.toString().split(" ")[1]).toBe(fingerprint(accepted(line).base64));
    },
  );
});
