import { describe, expect, it } from "vitest";
import { isMeasureName, measureNames, measureOf, measures } from "./measures.ts";
import { jsonLine, shown, textLines } from "./output.ts";
import type { Figure } from "./statistics.ts";
import { judge, type Outcome, worst } from "./verdict.ts";

const exactly = (value: number): Figure => ({ median: value, least: value, most: value });
const launch = (ratio: number): Outcome => ({ name: "launch-all", figures: { "": exactly(ratio) }, notes: [] });
const { reach } = measures["launch-all"].parts[""];
/** Shares of what each part is to reach. */
const hosts = (CPU: number, memory: number): Outcome => ({
  name: "hosts",
  figures: {
    CPU: exactly(CPU * measures.hosts.parts.CPU.reach),
    memory: exactly(memory * measures.hosts.parts.memory.reach),
  },
  notes: ["for 60 s"],
});

describe("the table", () => {
  it("gives every measure something to reach", () => {
    for (const name of measureNames) {
      expect(Object.values(measureOf(name).parts).length).toBeGreaterThan(0);
      for (const part of Object.values(measureOf(name).parts)) expect(part.reach).toBeGreaterThan(0);
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
  ])("of %d times the ratio that is to be reached is %s", (times, reached) => {
    expect(judge(launch(times * reach))[0]?.reached).toBe(reached);
  });

  it("counts what is small as good where it should be small", () => {
    expect(judge(hosts(0, 1)).map(({ reached }) => reached)).toEqual([true, true]);
    expect(judge(hosts(1.1, 1.01)).map(({ reached }) => reached)).toEqual([false, false]);
  });

  it("is decided by the part that is furthest from its reach, whatever its unit", () => {
    expect(worst(judge(hosts(3, 2))).part).toBe("CPU");
    expect(worst(judge(hosts(0.9, 0.95))).part).toBe("memory");
  });

  it("needs every part, and no other", () => {
    expect(() => judge({ name: "hosts", figures: { CPU: exactly(1) }, notes: [] })).toThrow(
      'without its part "memory"',
    );
    expect(() => judge({ name: "hot", figures: { "": exactly(1), p99: exactly(1) }, notes: [] })).toThrow("no part");
  });
});

describe("a JSON line", () => {
  it("has name, ratio, reach and reached, and the spread besides", () => {
    const figure = { median: 0.123456, least: 0.1, most: 0.2 };
    const line = jsonLine({ name: "launch-all", figures: { "": figure }, notes: [] });
    expect(JSON.parse(line)).toMatchObject({
      name: "launch-all",
      ratio: 0.1235,
      least: 0.1,
      most: 0.2,
      reach,
      reached: false,
    });
  });

  it("has a value with its unit where it is no ratio; the worst part's, and each part's", () => {
    const line = JSON.parse(jsonLine(hosts(0.5, 2)));
    expect(line).toMatchObject({
      name: "hosts",
      value: 2 * line.reach,
      unit: "MB",
      part: "memory",
      reach: measures.hosts.parts.memory.reach,
      reached: false,
    });
    expect(line.parts.map((part: { part: string; reached: boolean }) => [part.part, part.reached])).toEqual([
      ["CPU", true],
      ["memory", false],
    ]);
    expect(line.notes).toEqual(["for 60 s"]);
  });

  it("names what is missing, and never counts it as reached", () => {
    const line = jsonLine({ name: "launch-placement", missing: "not installed" });
    expect(JSON.parse(line)).toEqual({
      name: "launch-placement",
      reach: measures["launch-placement"].parts[""].reach,
      reached: false,
      missing: "not installed",
    });
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
    const [cpu, memory] = textLines(hosts(0.5, 2));
    const most = measures.hosts.parts.CPU.reach;
    expect(cpu).toMatch(new RegExp(`hosts \\(CPU\\).*${most / 2} % of a core.*at most ${most} % of a core\\s+reached`));
    expect(memory).toMatch(/hosts \(memory\).* MB.*NOT REACHED/);
    expect(textLines(hosts(0.5, 2)).at(-1)).toContain("for 60 s");
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
