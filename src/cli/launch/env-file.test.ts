import { execFileSync } from "node:child_process";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { fc } from "../../../test/support/properties.ts";
import { envForms, envVarFrom, parseEnvFile, refuseBadVars } from "./env-file.ts";

const parse = (text: string) => parseEnvFile(text, ".env");

describe("a file of variables", () => {
  it.each([
    ["A=1\nB=two words\n", { A: "1", B: "two words" }],
    ["# a comment\n\n  export A=1  # behind it\n", { A: "1" }],
    ["A='it is $HOME' # x\n", { A: "it is $HOME" }],
    ['A="two\\nlines, \\"quoted\\""\n', { A: 'two\nlines, "quoted"' }],
    ["A='two\nlines'\nB=2", { A: "two\nlines", B: "2" }],
    ["A='it'\\''s'\n", { A: "it's" }],
    ["A=\nB=''\n", { A: "", B: "" }],
    ["A = spaced\r\nB=2\r\n", { A: "spaced", B: "2" }],
    ["A=one\nA=two\n", { A: "two" }],
    ["URL=http://x/?a=b#c\n", { URL: "http://x/?a=b#c" }],
    ["\ufeffA=1", { A: "1" }],
    ["", {}],
  ])("%j is read", (text, vars) => {
    expect(parse(text)).toEqual(vars);
  });

  it.each([
    ["A=1\nnonsense\n", ".env: line 2 is not NAME=value."],
    ["=x\n", ".env: line 1 is not NAME=value."],
    ["A=1\nB='never closed\n", ".env: line 2 has an unclosed quote."],
  ])("%j is refused with its line, and without what stands there", (text, message) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ message, exit: "usage" }));
  });
});

const value = fc.string({ unit: "grapheme", maxLength: 30 }).filter((text) => !/[\0\r]/.test(text));
const vars = fc.dictionary(fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,9}$/), value, { maxKeys: 5 });

describe("what is written", () => {
  it("for a shell is read again as it was", () => {
    fc.assert(
      fc.property(vars, (some) => {
        expect(parse(envForms.shell(some))).toEqual({ ...some });
      }),
    );
  });

  it("for a shell is what a shell takes", () => {
    const text = envForms.shell({ LESSOR_TEST_A: `it's "x" $HOME \\`, LESSOR_TEST_B: "a\nb" });
    const said = execFileSync("sh", ["-c", `${text}printf '%s|%s' "$LESSOR_TEST_A" "$LESSOR_TEST_B"`]);
    expect(String(said)).toBe(`it's "x" $HOME \\|a\nb`);
  });

  it("in plain values agrees with Node's own reader", () => {
    const text = "A=1\nB='two words'\nC=\"x\\ny\"\n# no\nexport D=4 # four\n";
    expect(parse(text)).toEqual({ ...parseEnv(text) });
  });

  it("for Docker refuses what its files cannot hold", () => {
    expect(envForms.docker({ A: "as it's" })).toBe("A=as it's\n");
    expect(() => envForms.docker({ A: "a\nb" })).toThrow('"A" has several lines');
  });
});

describe("--env", () => {
  it("takes a value, or that of the environment", () => {
    expect(envVarFrom("A=b=c", {})).toEqual(["A", "b=c"]);
    expect(envVarFrom("A", { A: "here" })).toEqual(["A", "here"]);
    expect(() => envVarFrom("A", {})).toThrow("--env A: the variable is not set.");
    expect(() => envVarFrom("=x", {})).toThrow("needs a name");
  });

  it("is held to the rules of a launch, all at once and without values", () => {
    expect(() => refuseBadVars({ PATH: "hunter2", LD_X: "hunter2" })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter2") }),
    );
    refuseBadVars({ GOOD: "yes" });
  });
});
