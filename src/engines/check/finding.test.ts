import { describe, expect, it } from "vitest";
import { EngineError } from "../engine.ts";
import { listed, ok, problem, wordsOf } from "./finding.ts";

describe("a finding", () => {
  it("is one line that a terminal does nothing with, whatever a cluster's names and messages are", () => {
    const made = problem("a\nb", "red \x1b[31m text\r\n", "do\tthis");
    expect(made).toEqual({ what: "a b", verdict: "problem", detail: "red  [31m text", advice: "do this" });
    expect(ok("x", "y").advice).toBeUndefined();
  });
});

describe("an error in words", () => {
  it("has the cluster's own words with the engine's", () => {
    const cause = new Error("Failed creating: no space left on device.");
    const error = new EngineError("unavailable", "host-full", "The host has insufficient capacity.", { cause });
    expect(wordsOf(error)).toBe("The host has insufficient capacity (Failed creating: no space left on device)");
    expect(wordsOf(new EngineError("refused", "x", "No."))).toBe("No");
    expect(wordsOf("text")).toBe("text");
  });
});

describe("a list in words", () => {
  it("ends with and", () => {
    expect([listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])]).toEqual([
      "",
      "a",
      "a and b",
      "a, b and c",
    ]);
  });
});
