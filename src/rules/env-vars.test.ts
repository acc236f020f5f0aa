import { describe, expect, it } from "vitest";
import { fc } from "../../test/support/properties.ts";
import { checkEnvVars, type EnvVarProblem, envVarLimits } from "./env-vars.ts";

const rules = (vars: Record<string, string>) => checkEnvVars(vars).map(({ key, rule }) => [key, rule]);

/** The only problem with these. */
function problem(vars: Record<string, string>): EnvVarProblem {
  const [only, ...others] = checkEnvVars(vars);
  expect(others).toEqual([]);
  if (only === undefined) throw new Error("nothing was refused");
  return only;
}

describe("the limits", () => {
  it("are those of the specification", () => {
    expect(envVarLimits).toEqual({
      keyPattern: /^[A-Za-z_][A-Za-z0-9_]{0,63}$/,
      reservedKeys: ["PATH", "HOME", "USER", "SHELL", "PWD", "OLDPWD", "IFS", "PS1", "PS2", "TERM", "LANG", "LC_ALL"],
      reservedPrefixes: ["LD_", "MC_"],
      maxEntries: 64,
      maxValueBytes: 4096,
      maxTotalBytes: 16_384,
    });
  });
});

describe("a key", () => {
  it.each(["A", "_", "a", "_1", "HF_TOKEN", "a".repeat(64), "MCX", "LDX", "PATHS", "path", "ld_preload", "LC_CTYPE"])(
    "may be %s",
    (key) => {
      expect(checkEnvVars({ [key]: "x" })).toEqual([]);
    },
  );

  it.each(["constructor", "toString", "hasOwnProperty"])("may be %s, like any other", (key) => {
    expect(checkEnvVars({ [key]: "x" })).toEqual([]);
    expect(rules({ [key]: "\0" })).toEqual([[key, "value-nul"]]);
  });

  it("may be __proto__, like any other", () => {
    expect(checkEnvVars(JSON.parse('{"__proto__": "x"}'))).toEqual([]);
    expect(rules(JSON.parse('{"__proto__": "\\u0000"}'))).toEqual([["__proto__", "value-nul"]]);
  });

  it.each([
    "",
    "1A",
    "A-B",
    "A B",
    "A.B",
    "A=B",
    "A\n",
    "\nA",
    "ä",
    "Ａ",
    "a".repeat(65),
    "A;reboot",
    "$(reboot)",
    "'",
  ])("may not be %j", (key) => {
    expect(problem({ [key]: "x" }).rule).toBe("key-pattern");
  });

  it.each(envVarLimits.reservedKeys)("may not be %s, which is reserved", (key) => {
    expect(problem({ [key]: "x" })).toMatchObject({ key, rule: "reserved-key" });
  });

  it.each(["LD_PRELOAD", "LD_", "MC_TOKEN", "MC_"])("may not be %s, whose prefix is reserved", (key) => {
    expect(problem({ [key]: "x" })).toMatchObject({ key, rule: "reserved-prefix" });
  });
});

describe("a value", () => {
  it.each(["", " ", "\n", "'", '"$`\\', "\u0001\u007f", "😀", "\ufeff", "x".repeat(4096), "😀".repeat(1024)])(
    "may be %j",
    (value) => {
      expect(checkEnvVars({ A: value })).toEqual([]);
    },
  );

  it.each([
    ["NUL", "a\0b", "value-nul"],
    ["half of a surrogate pair", "a\ud800b", "value-encoding"],
    ["the other half", "\udfff", "value-encoding"],
    ["4097 bytes", "x".repeat(4097), "value-size"],
    ["4097 bytes in fewer characters", `${"😀".repeat(1024)}x`, "value-size"],
  ])("may not hold %s", (_what, value, rule) => {
    expect(problem({ A: value })).toMatchObject({ key: "A", rule });
  });
});

describe("all of them together", () => {
  const numbered = (count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`K${String(index).padStart(2, "0")}`, value]));

  it("may be none, and may be 64", () => {
    expect(checkEnvVars({})).toEqual([]);
    expect(checkEnvVars(numbered(64, "x"))).toEqual([]);
  });

  it("may not be 65", () => {
    expect(problem(numbered(65, "x"))).toMatchObject({ key: undefined, rule: "entries" });
  });

  it("may have 16384 bytes, keys and values, and not one more", () => {
    // Four keys of 3 bytes and 4 × 4093 bytes of values.
    const full = numbered(4, "x".repeat(4093));
    expect(checkEnvVars(full)).toEqual([]);
    expect(problem({ ...full, K00: "x".repeat(4094) })).toMatchObject({ key: undefined, rule: "total-size" });
    expect(problem({ ...full, A: "" })).toMatchObject({ key: undefined, rule: "total-size" });
  });

  it("count in UTF-8 bytes", () => {
    expect(checkEnvVars(numbered(5, "ü".repeat(1600)))).toEqual([]);
    expect(problem(numbered(5, "ü".repeat(1700))).rule).toBe("total-size");
  });

  it("name every bad key, each with its rule", () => {
    expect(rules({ GOOD: "x", "1A": "x", PATH: "x", LD_X: "x", NUL: "\0", BIG: "x".repeat(5000) })).toEqual([
      ["1A", "key-pattern"],
      ["PATH", "reserved-key"],
      ["LD_X", "reserved-prefix"],
      ["NUL", "value-nul"],
      ["BIG", "value-size"],
    ]);
  });

  it("make a short answer even where everything is bad", () => {
    const bad = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`${index}`, "x"]));
    expect(checkEnvVars(bad)).toHaveLength(66);
  });
});

describe("a message", () => {
  it("never shows a value", () => {
    const bad = {
      PATH: "hunter2",
      "1A": "hunter2",
      LD_A: "hunter2",
      A: "hunter2\0",
      B: "hunter2\ud800",
      C: "hunter2".repeat(999),
    };
    expect(checkEnvVars(bad)).toHaveLength(6);
    expect(JSON.stringify(checkEnvVars(bad))).not.toContain("hunter2");
  });

  it("shows keys that could do harm as harmless text of at most 80 characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.string({ maxLength: 90 }), (odd, plain) => {
        for (const key of [odd, plain, `${odd}\ud800${plain}`, `${"\u202e".repeat(99)}`, "\n".repeat(99)]) {
          for (const { key: shown = "", message } of checkEnvVars({ [key]: "x" })) {
            expect(Array.from(shown).length).toBeLessThanOrEqual(80);
            expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
            expect(message.length).toBeLessThan(300);
          }
        }
      }),
    );
  });

  it("cuts a long key between characters, never within one", () => {
    for (let plain = 0; plain < 4; plain++) {
      const { key = "", message } = problem({ [`${"-".repeat(plain)}\n${"😀".repeat(99)}`]: "x" });
      expect(message.isWellFormed()).toBe(true);
      expect(Array.from(key)).toHaveLength(80);
    }
  });

  it("shows a short plain key as it is", () => {
    expect(problem({ "A-B": "x" }).message).toBe('"A-B" is no valid key: it must match ^[A-Za-z_][A-Za-z0-9_]{0,63}$.');
    expect(problem({ "A\n": "x" }).message).toContain('"A\\u{a}"');
    expect(problem({ "": "x" }).message).toContain('""');
  });
});
