import { describe, expect, it, vi } from "vitest";
import { ConfigError } from "../settings/error.ts";
import { parseYaml } from "./yaml.ts";

function refusal(text: string): string {
  try {
    parseYaml(text, "lessor.yaml");
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("nothing was refused");
}

describe("a YAML text", () => {
  it.each([
    ["", null],
    ["just words", "just words"],
    ["a: [1, 0.5, true, ~, text]", { a: [1, 0.5, true, null, "text"] }],
    ["- { a: }\n- b", [{ a: null }, "b"]],
    ["a: &x { b: 1 }\nc: *x", { a: { b: 1 }, c: { b: 1 } }],
    ["a: yes\nb: 2026-01-01\nc: 10:30", { a: "yes", b: "2026-01-01", c: "10:30" }],
    ["10de:2331: x", { "10de:2331": "x" }],
    ['"1": a\n"true": b', { "1": "a", true: "b" }],
    ["b: 1\na: 2", { b: 1, a: 2 }],
  ])("%j becomes plain values", (text, value) => {
    expect(parseYaml(text, "lessor.yaml")).toEqual(value);
  });

  it("keeps a key that objects have a meaning for", () => {
    expect(Object.entries(parseYaml("__proto__: { port: 80 }", "x") ?? {})).toEqual([["__proto__", { port: 80 }]]);
  });

  it.each([
    ["22.04: hunter2", "lessor.yaml has a key that YAML reads as a number, true, false or null instead of text"],
    [
      "a: { 1: hunter2 }",
      "a in lessor.yaml has a key that YAML reads as a number, true, false or null instead of text",
    ],
    [
      "a: [{ true: hunter2 }]",
      "a[0] in lessor.yaml has a key that YAML reads as a number, true, false or null instead of text",
    ],
    ["a: { : hunter2 }", "a in lessor.yaml has a key that YAML reads as a number, true, false or null instead of text"],
    ["? { hunter2: 1 }\n: 1", "lessor.yaml has a key that YAML reads as a number, true, false or null instead of text"],
    ["? [hunter2]\n: 1", "lessor.yaml has a key that YAML reads as a number, true, false or null instead of text"],
    ["a: !!set { hunter2 }", "a in lessor.yaml has a type that no setting has"],
    ["a: { b: !!binary aHVudGVyMg== }", "a.b in lessor.yaml has a type that no setting has"],
    ["%YAML 1.1\n---\na: 2026-01-01", "a in lessor.yaml has a type that no setting has"],
    ["a: &hunter2 [*hunter2]", "an alias in it refers to its own parent"],
    ["a: &hunter2 { b: { c: *hunter2 } }", "an alias in it refers to its own parent"],
  ])("%j is refused, saying where and why, and no value", (text, message) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    expect(refusal(text)).toContain(message);
    expect(refusal(text)).not.toContain("hunter2");
    expect(warned).not.toHaveBeenCalled();
    warned.mockRestore();
  });
});
