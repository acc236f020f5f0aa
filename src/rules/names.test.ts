import { v7 as uuidv7 } from "uuid";
import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { checkInstanceName, defaultInstanceName, hostnameFor } from "./names.ts";

const id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

describe("a display name", () => {
  it.each(["a", "train 7", "日本語", " padded ", 'it\'s "fine" <b>', "x".repeat(64), "😀".repeat(64)])(
    "may be %j",
    (name) => {
      expect(checkInstanceName(name)).toBeUndefined();
    },
  );

  it.each([
    ["", "1 to 64 characters"],
    ["x".repeat(65), "1 to 64 characters"],
    ["😀".repeat(65), "1 to 64 characters"],
    ["a\0b", "control characters"],
    ["a\nb", "control characters"],
    ["a\tb", "control characters"],
    ["a\x7fb", "control characters"],
    ["a\x85b", "control characters"],
    ["a\ud800b", "valid Unicode"],
    ["\udc00", "valid Unicode"],
  ])("may not be %j", (name, message) => {
    expect(checkInstanceName(name)).toContain(message);
  });

  it("counts no longer than it must for a megabyte of name", () => {
    expect(checkInstanceName("x".repeat(1_000_000))).toContain("1 to 64");
  });
});

describe("the name of an instance that was given none", () => {
  it("is its type and the random end of its id", () => {
    expect(defaultInstanceName("gpu_1x_a100", id)).toBe("gpu_1x_a100-2e3f4a5b");
  });

  it("is a valid display name, however long the type's name is", () => {
    for (const type of ["x".repeat(200), "😀".repeat(200), "a"]) {
      const name = defaultInstanceName(type, id);
      expect(checkInstanceName(name)).toBeUndefined();
      expect(name.endsWith("-2e3f4a5b")).toBe(true);
    }
  });

  it("differs within a batch of one millisecond", () => {
    const names = Array.from({ length: 64 }, () => defaultInstanceName("a", uuidv7({ msecs: 1_700_000_000_000 })));
    expect(new Set(names).size).toBe(64);
  });
});

describe("a host name", () => {
  it.each([
    ["trainer", "trainer-2e3f4a5b"],
    ["My Trainer #7", "my-trainer-7-2e3f4a5b"],
    ["--a__b..c--", "a-b-c-2e3f4a5b"],
    ["UPPER", "upper-2e3f4a5b"],
    ["7", "7-2e3f4a5b"],
    ["日本語", "instance-2e3f4a5b"],
    ["Größe", "gr-e-2e3f4a5b"],
    ["...", "instance-2e3f4a5b"],
    ["xn--bcher-kva", "xn-bcher-kva-2e3f4a5b"],
    ["x".repeat(64), `${"x".repeat(54)}-2e3f4a5b`],
    [`${"x".repeat(53)} yz`, `${"x".repeat(53)}-2e3f4a5b`],
  ])("of %j is %s", (name, hostname) => {
    expect(hostnameFor(name, id)).toBe(hostname);
  });

  it("does not repeat the end of a default name", () => {
    expect(hostnameFor(defaultInstanceName("gpu_1x_a100", id), id)).toBe("gpu-1x-a100-2e3f4a5b");
    expect(hostnameFor("2e3f4a5b", id)).toBe("instance-2e3f4a5b");
  });

  it("is a valid label with the id's end, whatever the name", () => {
    const name = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme", minLength: 50, maxLength: 90 }));
    fc.assert(
      fc.property(name, fc.uuid({ version: 7 }), (any, uuid) => {
        const hostname = hostnameFor(any, uuid);
        expect(hostname).toMatch(label);
        expect(hostname).not.toContain("--");
        expect(hostname.endsWith(`-${uuid.slice(-8)}`)).toBe(true);
      }),
    );
  });

  it("differs for instances that share a name", () => {
    const names = Array.from({ length: 64 }, () => hostnameFor("group", uuidv7({ msecs: 1_700_000_000_000 })));
    expect(new Set(names).size).toBe(64);
  });

  it("is the same for an id in either case", () => {
    expect(hostnameFor("a", id.toUpperCase())).toBe(hostnameFor("a", id));
  });

  it("needs an id", () => {
    expect(() => hostnameFor("a", "not-an-id")).toThrow("BUG");
  });
});
