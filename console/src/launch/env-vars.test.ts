// Environment variables as somebody types them.

import { describe, expect, it } from "vitest";
import { checkEnvVars as serviceCheck } from "../../../src/rules/env-vars.ts";
import { checkEnvVars, envVarsOf, isWrong, parseEnvText } from "./env-vars.ts";

const vars = (...entries: readonly [string, string][]) => entries.map(([key, value], id) => ({ id, key, value }));
const keyProblem = (key: string) => checkEnvVars(vars([key, "x"])).keys.get(0);

describe("the rules", () => {
  const samples: readonly (readonly [string, string][])[] = [
    [["HF_TOKEN", "hf_x"]],
    [["_", ""]],
    [["9A", "x"]],
    [["A-B", "x"]],
    [["A".repeat(64), "x"]],
    [["A".repeat(65), "x"]],
    [["PATH", "x"]],
    [["path", "x"]],
    [["LD_PRELOAD", "x"]],
    [["MC_X", "x"]],
    [["A", "\0"]],
    [["A", "\ud800"]],
    [["A", "ä".repeat(2048)]],
    [["A", `${"ä".repeat(2048)}x`]],
    Array.from({ length: 64 }, (_, index): [string, string] => [`A${index}`, ""]),
    Array.from({ length: 65 }, (_, index): [string, string] => [`A${index}`, ""]),
    Array.from({ length: 4 }, (_, index): [string, string] => [`A${index}`, "x".repeat(4094)]),
    Array.from({ length: 4 }, (_, index): [string, string] => [`AB${index}`, "x".repeat(4094)]),
  ];
  it.each(samples.map((entries, index) => ({ entries, index })))(
    "judge sample $index as the service does",
    ({ entries }) => {
      expect(isWrong(checkEnvVars(vars(...entries)))).toBe(serviceCheck(Object.fromEntries(entries)).length > 0);
    },
  );
});

describe("what is wrong", () => {
  it("is told at its line", () => {
    const { keys, values } = checkEnvVars(vars(["A", "x"], ["PATH", "x"], ["B", "\0"]));
    expect([...keys.keys()]).toEqual([1]);
    expect([...values.keys()]).toEqual([2]);
  });

  it("says which rule it breaks", () => {
    expect(keyProblem("")).toMatch(/name/);
    expect(keyProblem("HOME")).toMatch(/reserved/);
    expect(keyProblem("LD_X")).toMatch(/LD_/);
  });

  it("is also a name that is there twice: one of the two would be lost", () => {
    expect([...checkEnvVars(vars(["A", "x"], ["A", "y"])).keys.keys()]).toEqual([1]);
  });

  it("is not a line in which nothing was typed", () => {
    expect(isWrong(checkEnvVars(vars(["", ""])))).toBe(false);
    expect(envVarsOf(vars(["", ""], ["A", "x"]))).toEqual({ A: "x" });
  });
});

describe("a file that is pasted", () => {
  it("is read line by line, without comments and quotes", () => {
    const text = "# mine\nexport HF_TOKEN=hf_1=2\n\nNAME = \"two words\"\r\nEMPTY=\nA='x'\n";
    expect(envVarsOf(parseEnvText(text, 5))).toEqual({ HF_TOKEN: "hf_1=2", NAME: "two words", EMPTY: "", A: "x" });
    expect(parseEnvText(text, 5).map(({ id }) => id)).toEqual([5, 6, 7, 8]);
  });

  it("that is none has no variables", () => {
    expect(parseEnvText("hello\n=x", 0)).toEqual([]);
  });
});
