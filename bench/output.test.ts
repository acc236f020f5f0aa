import { describe, expect, it } from "vitest";
import { isMeasureName, measureNames, measureOf } from "./measures.ts";
import { jsonLine, shown, textLines } from "./output.ts";
import type { Figure } from "./statistics.ts";
import { judge, type Outcome, worst } from "./verdict.ts";

const exactly = (value: number): Figure => ({ median: value, least: value, most: value });
const launch = (ratio: number): Outcome => ({ name: "launch", figures: { "": exactly(ratio) }, notes: [] });
const rest = (CPU: number, queries: number, memory: number): Outcome => ({
  name: "rest",
  figures: { CPU: exactly(CPU), queries: exactly(queries), memory: exactly(memory) },
  notes: ["for 60 s"],
});

describe("the table", () => {
  it("gives every measure something to reach", () => {
    for (const name of measureNames) {
      expect(Object.values(measureOf(name).parts).length).toBeGreaterThan(0);
      for (const { reach } of Object.values(measureOf(name).parts)) expect(reach).toBeGreaterThan(0);
    }
  });

  it("knows its names and nothing that every object has", () => {
    expect(isMeasureName("launch-placement")).toBe(true);
    expect(isMeasureName("toString")).toBe(false);
  });
});

describe("a verdict", () => {
  it.each([
    [1, true],
    [0.99, false],
    [1.5, true],
  ])("of a ratio of %d, where 1 is to be reached, is %s", (ratio, reached) => {
    expect(judge(launch(ratio))[0]?.reached).toBe(reached);
  });

  it("counts what is small as good where it should be small", () => {
    expect(judge(rest(0, 5, 250)).map(({ reached }) => reached)).toEqual([true, true, true]);
    expect(judge(rest(1.1, 5.1, 251)).map(({ reached }) => reached)).toEqual([false, false, false]);
  });

  it("is decided by the part that is furthest from its reach, whatever its unit", () => {
    expect(worst(judge(rest(2, 50, 300))).part).toBe("queries");
    expect(worst(judge(rest(0.9, 4, 240))).part).toBe("memory");
  });

  it("needs every part, and no other", () => {
    expect(() => judge({ name: "rest", figures: { CPU: exactly(1) }, notes: [] })).toThrow(
      'without its part "queries"',
    );
    expect(() => judge({ name: "launch", figures: { "": exactly(1), p99: exactly(1) }, notes: [] })).toThrow("no part");
  });
});

describe("a JSON line", () => {
  it("has name, ratio, reach and reached, and the spread besides", () => {
    const line = jsonLine({ name: "launch", figures: { "": { median: 0.123456, least: 0.1, most: 0.2 } }, notes: [] });
    expect(JSON.parse(line)).toMatchObject({
      name: "launch",
      ratio: 0.1235,
      least: 0.1,
      most: 0.2,
      reach: 1,
      reached: false,
    });
  });

  it("has a value with its unit where it is no ratio; the worst part's, and each part's", () => {
    const line = JSON.parse(jsonLine(rest(0.5, 8, 100)));
    expect(line).toMatchObject({
      name: "rest",
      value: 8,
      unit: "queries/s",
      part: "queries",
      reach: 5,
      reached: false,
    });
    expect(line.parts.map((part: { part: string; reached: boolean }) => [part.part, part.reached])).toEqual([
      ["CPU", true],
      ["queries", false],
      ["memory", true],
    ]);
    expect(line.notes).toEqual(["for 60 s"]);
  });

  it("names what is missing, and never counts it as reached", () => {
    const line = jsonLine({ name: "launch-placement", missing: "not installed" });
    expect(JSON.parse(line)).toEqual({ name: "launch-placement", reach: 50, reached: false, missing: "not installed" });
  });

  it("tells of other peers, and of those that are missing", () => {
    const besides = [
      { against: "Prism", ratio: exactly(2) },
      { against: "moto", missing: "not installed" },
    ];
    const line = JSON.parse(jsonLine({ ...launch(1), besides }));
    expect(line.besides).toEqual([
      { against: "Prism", ratio: 2 },
      { against: "moto", missing: "not installed" },
    ]);
    expect(textLines({ ...launch(1), besides }).join()).toMatch(
      /against Prism: 2 .*against moto: missing: not installed/,
    );
  });

  it("is one line", () => expect(jsonLine({ name: "launch", missing: "a\nb" })).not.toContain("\n"));
});

describe("the text for people", () => {
  it("says of each part what it came to, what was to be reached, and whether it was", () => {
    const [cpu, queries] = textLines(rest(0.5, 8, 100));
    expect(cpu).toMatch(/rest \(CPU\).*0\.5 % of a core.*at most 1 % of a core\s+reached/);
    expect(queries).toMatch(/rest \(queries\).*8 queries\/s.*NOT REACHED/);
    expect(textLines(rest(0.5, 8, 100)).at(-1)).toContain("for 60 s");
  });

  it("names what is missing", () => {
    expect(textLines({ name: "hot", missing: "no room" })).toEqual([expect.stringContaining("missing: no room")]);
  });

  it.each([
    [0.81234, "0.812"],
    [12.345, "12.3"],
    [93_456.7, "93,457"],
    [0, "0"],
  ])("shows %d as %s", (value, text) => expect(shown(value)).toBe(text));
});
