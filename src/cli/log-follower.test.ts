// What `lessor logs --follow` shows of one read after the other.

import { describe, expect, it } from "vitest";
import { newPart } from "./log-follower.ts";

describe("the new part of a console log", () => {
  it("is what was written since", () => {
    expect(newPart("", "a\nb\n")).toEqual({ text: "a\nb\n", isNewLog: false });
    expect(newPart("a\nb\n", "a\nb\nc")).toEqual({ text: "c", isNewLog: false });
    expect(newPart("a\nb\n", "a\nb\n")).toEqual({ text: "", isNewLog: false });
  });

  it("is found also where the beginning was dropped meanwhile", () => {
    expect(newPart("one\ntwo\nthree\n", "two\nthree\nfour\n")).toEqual({ text: "four\n", isNewLog: false });
    // The first place that looks right is not it.
    const repeated = "x\n".repeat(500);
    expect(newPart(`start\n${repeated}end\n`, `${repeated}end\nmore\n`)).toEqual({ text: "more\n", isNewLog: false });
  });

  it("is all of a log that began anew", () => {
    expect(newPart("Booting\nup at 1\n", "Booting\nup at 2\n")).toEqual({ text: "Booting\nup at 2\n", isNewLog: true });
    expect(newPart("Booting\n", "")).toEqual({ text: "", isNewLog: false });
  });

  it("is found in no time, whatever was written", () => {
    const line = `${"ab".repeat(200)}\n`;
    const before = line.repeat(2600);
    const started = performance.now();
    newPart(before, `${before.slice(line.length, -1)}x`);
    newPart("\n".repeat(1_048_576), `${"\n".repeat(1_048_575)}x`);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
