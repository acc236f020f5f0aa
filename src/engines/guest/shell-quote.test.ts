import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { awkwardValues } from "../../../test/support/guest/sample-guest.ts";
import { fc } from "../../../test/support/properties.ts";
import { base64Quote, shellQuote } from "./shell-quote.ts";

/** What each of these words is to a shell, all in one script. */
function words(shell: string, quoted: readonly string[]): string[] {
  const script = quoted.map((word) => `printf '%s\\0' ${word}\n`).join("");
  const { stdout, stderr } = spawnSync(shell, { input: script, encoding: "utf8" });
  expect(stderr).toBe("");
  return stdout.split("\0").slice(0, -1);
}

const shells = ["sh", "dash", "bash"].filter((shell) => spawnSync(shell, ["-c", ":"]).status === 0);
const value = fc
  .string({ unit: "binary", maxLength: 60 })
  .filter((text) => text.isWellFormed() && !text.includes("\0"));

describe.each(shells)("a value quoted for %s", (shell) => {
  it("is one word with the very same bytes", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 50 }), (values) => {
        expect(words(shell, values.map(shellQuote))).toEqual(values);
      }),
      { numRuns: 20 },
    );
  });

  it("survives everything that shells act on", () => {
    expect(words(shell, awkwardValues.map(shellQuote))).toEqual(awkwardValues);
  });
});

describe("a value as Base64", () => {
  it("is decoded to the very same bytes", () => {
    const script = awkwardValues.map((one) => `printf '%s' ${base64Quote(one)} | base64 -d; printf '\\0'\n`).join("");
    const { stdout } = spawnSync("sh", { input: script, encoding: "utf8" });
    expect(stdout.split("\0").slice(0, -1)).toEqual(awkwardValues);
  });
});

describe("a value that no shell can hold", () => {
  it.each(["a\0secret", "secret\ud800"])("is refused without being shown: %j", (text) => {
    expect(() => shellQuote(text)).toThrow(/^BUG: /);
    expect(() => shellQuote(text)).not.toThrow(/secret/);
  });
});
