import { createDecipheriv, createHash, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { CannotOpen, idOfKey, KeyRing, keyIdOf, sealedPrefix } from "./key-ring.ts";

const key = randomBytes(32);
const ring = new KeyRing([key]);
const context = "instance:0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b:env_vars";

function reason(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof CannotOpen) return error.reason;
    throw error;
  }
  return "opened";
}

describe("what is sealed", () => {
  it("opens again, byte for byte", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.string({ unit: "grapheme" }), (bytes, where) => {
        const plaintext = Buffer.from(bytes);
        expect(ring.open(ring.seal(plaintext, where), where)).toEqual(plaintext);
      }),
    );
  });

  it("opens as text when it was text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(ring.openText(ring.seal(text, context), context)).toBe(text);
      }),
    );
  });

  it("may be nothing, and may be a megabyte", () => {
    expect(ring.openText(ring.seal("", context), context)).toBe("");
    const large = randomBytes(1_048_576);
    expect(ring.open(ring.seal(large, context), context).equals(large)).toBe(true);
  });

  it("looks different every time, and shows nothing of what it holds", () => {
    const sealed = Array.from({ length: 100 }, () => ring.seal("hunter2", context));
    expect(new Set(sealed).size).toBe(100);
    expect(sealed.join()).not.toContain("hunter2");
    expect(sealed.join()).not.toContain(Buffer.from("hunter2").toString("base64url"));
  });

  it("has the documented form, which any AES-256-GCM can open", () => {
    const sealed = ring.seal("hunter2", context);
    const [version, id, text, ...rest] = sealed.split(".");
    expect([version, id, rest]).toEqual(["v1", createHash("sha256").update(key).digest("hex").slice(0, 8), []]);
    const body = Buffer.from(text ?? "", "base64url");
    const decipher = createDecipheriv("aes-256-gcm", key, body.subarray(0, 12));
    decipher.setAAD(Buffer.from(`v1.${id}.${context}`)).setAuthTag(body.subarray(-16));
    expect(Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]).toString()).toBe("hunter2");
  });
});

describe("a sealed value that was tampered with", () => {
  it("does not open for another context", () => {
    const sealed = ring.seal("hunter2", context);
    for (const other of ["", context.replace("env_vars", "password"), `${context} `, context.slice(0, -1)]) {
      expect(reason(() => ring.open(sealed, other))).toBe("tampered");
    }
  });

  it("does not open with any single bit flipped", () => {
    const [version, id, text] = ring.seal("hunter2", context).split(".");
    const body = Buffer.from(text ?? "", "base64url");
    for (let bit = 0; bit < body.length * 8; bit++) {
      const flipped = Buffer.from(body);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(reason(() => ring.open(`${version}.${id}.${flipped.toString("base64url")}`, context))).toBe("tampered");
    }
  });

  it("does not open cut short anywhere, or made longer", () => {
    const sealed = ring.seal("hunter2 hunter2", context);
    for (let length = 0; length < sealed.length; length++) {
      expect(reason(() => ring.open(sealed.slice(0, length), context))).not.toBe("opened");
    }
    expect(reason(() => ring.open(`${sealed}AA`, context))).not.toBe("opened");
  });

  it.each([
    "",
    "hunter2",
    "v1",
    "v1..",
    "v1.12345678.",
    "v1.1234567.AAAA",
    `v1.XYZ45678.${"A".repeat(60)}`,
    `v1.12345678.${"A".repeat(60)}=`,
    `v1.12345678.${"A".repeat(60)}+/`,
    `v1.12345678.${"A".repeat(60)}B`,
    `v1.12345678.${"A".repeat(36)}`,
    `v2.12345678.${"A".repeat(60)}`,
    ` v1.12345678.${"A".repeat(60)}`,
    `v1.12345678.${"A".repeat(60)}\n`,
  ])("is called malformed when it has another form: %j", (text) => {
    expect(reason(() => ring.open(text, context))).toBe("malformed");
  });

  it("says nothing of what it held", () => {
    const sealed = ring.seal("hunter2", context);
    expect(() => ring.open(sealed, "elsewhere")).toThrow("An encrypted value was altered, or belongs to another row.");
  });
});

describe("changing the key", () => {
  const newer = randomBytes(32);

  it("seals with the new key, and opens what either sealed", () => {
    const old = ring.seal("old", context);
    const both = new KeyRing([newer, key]);
    expect(both.openText(old, context)).toBe("old");
    const fresh = both.seal("fresh", context);
    expect(fresh.startsWith(`v1.${both.currentKeyId}.`)).toBe(true);
    expect(new KeyRing([newer]).openText(fresh, context)).toBe("fresh");
    expect(reason(() => ring.open(fresh, context))).toBe("unknown-key");
  });

  it("names the key that is missing, so that it can be found again", () => {
    const sealed = ring.seal("old", context);
    expect(() => new KeyRing([newer]).open(sealed, context)).toThrow(
      `encrypted with key ${ring.currentKeyId}, which is missing`,
    );
  });

  it("cannot be undone by renaming the key in a sealed value", () => {
    const both = new KeyRing([newer, key]);
    const renamed = ring.seal("old", context).replace(ring.currentKeyId, both.currentKeyId);
    expect(reason(() => both.open(renamed, context))).toBe("tampered");
  });

  it("refuses the same key twice", () => {
    expect(() => new KeyRing([key, Buffer.from(key)])).toThrow("same ID");
  });
});

describe("a key ring that is changed while it is used", () => {
  const newer = randomBytes(32);

  it("opens with a new key at once, and seals with it when told", () => {
    const changing = new KeyRing([key]);
    const id = changing.putFirst(newer);
    expect(id).toBe(idOfKey(newer));
    expect(changing.keyIds).toEqual([id, idOfKey(key)]);
    expect(changing.currentKeyId).toBe(idOfKey(key));
    expect(changing.openText(new KeyRing([newer]).seal("from elsewhere", context), context)).toBe("from elsewhere");
    expect(keyIdOf(changing.seal("hunter2", context))).toBe(idOfKey(key));
    changing.makeCurrent(id);
    expect(keyIdOf(changing.seal("hunter2", context))).toBe(id);
    expect(changing.seal("hunter2", context).startsWith(sealedPrefix(id))).toBe(true);
  });

  it("has a key once that is put first again", () => {
    const changing = new KeyRing([newer, key]);
    changing.putFirst(key);
    expect(changing.keyIds).toEqual([idOfKey(key), idOfKey(newer)]);
    expect(changing.currentKeyId).toBe(idOfKey(newer));
  });

  it("opens nothing with a key that it was told to forget", () => {
    const changing = new KeyRing([newer, key]);
    const old = ring.seal("old", context);
    changing.forget(idOfKey(key));
    expect(changing.canOpen(idOfKey(key))).toBe(false);
    expect(reason(() => changing.open(old, context))).toBe("unknown-key");
  });

  it("never seals with a key that it does not have, and never forgets the one that seals", () => {
    const changing = new KeyRing([key]);
    expect(() => changing.makeCurrent(idOfKey(newer))).toThrow("BUG");
    expect(() => changing.forget(idOfKey(key))).toThrow("BUG");
    expect(() => changing.putFirst(randomBytes(16))).toThrow("BUG");
    expect(reason(() => changing.sealWith(idOfKey(newer), "x", context))).toBe("unknown-key");
    expect(changing.openText(changing.seal("hunter2", context), context)).toBe("hunter2");
  });

  it("is not changed when the bytes of a new key are", () => {
    const mine = Buffer.from(newer);
    const changing = new KeyRing([key]);
    changing.makeCurrent(changing.putFirst(mine));
    mine.fill(0);
    expect(new KeyRing([newer]).openText(changing.seal("hunter2", context), context)).toBe("hunter2");
  });
});

describe("a key ring", () => {
  it("shows no key when it is printed, logged or turned into JSON", () => {
    const shown = inspect(ring, { depth: 9, showHidden: true }) + JSON.stringify(ring);
    for (const form of ["hex", "base64", "base64url"] as const)
      expect(shown).not.toContain(key.toString(form).slice(0, 12));
    expect(shown).not.toContain(key.toString("hex").match(/../g)?.slice(0, 6).join(" "));
  });

  it("is not changed when the bytes it was made from are", () => {
    const mine = Buffer.from(key);
    const copy = new KeyRing([mine]);
    mine.fill(0);
    expect(copy.openText(ring.seal("hunter2", context), context)).toBe("hunter2");
  });

  it("cannot be made of nothing, of short keys, or seal what has no bytes", () => {
    expect(() => new KeyRing([])).toThrow("BUG");
    expect(() => new KeyRing([randomBytes(16)])).toThrow("BUG");
    expect(() => ring.seal("\ud800", context)).toThrow("BUG");
    expect(() => ring.seal("x", "\udc00")).toThrow("BUG");
  });
});
