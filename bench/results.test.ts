import { describe, expect, it } from "vitest";
import { measures } from "./measures.ts";
import { type Run, withFigures } from "./results.ts";
import type { Result } from "./verdict.ts";

const figure = (median: number) => ({ median, least: median, most: median });
const launch = (ratio: number): Result => ({
  name: "launch-all",
  figures: { "": figure(ratio) },
  notes: ["50 connections"],
});
const run = (...results: Result[]): Run => ({ date: "2026-01-02", machine: ["2 cores", "Node 24"], results });

describe("the results page", () => {
  it("has each figure with what was to be reached, and on what it was measured", () => {
    const page = withFigures("# Results\n", run(launch(1.2)));
    expect(page).toContain("### launch-all");
    const { reach } = measures["launch-all"].parts[""];
    expect(page).toContain(`| ratio | 1.2 | 1.2 … 1.2 | at least ${reach} | yes |`);
    expect(page).toContain("- 50 connections");
    expect(page).toContain("_2026-01-02; 2 cores; Node 24_");
  });

  it("keeps what people wrote, before and after", () => {
    const first = withFigures("# Results\n\nWhy.\n", run(launch(0.1)));
    const page = withFigures(`${first}\n## Limits\n\nTried.\n`, run(launch(0.9)));
    expect(page).toMatch(/^# Results\n\nWhy\.\n\n<!--/);
    expect(page).toMatch(/## Limits\n\nTried\.\n$/);
    expect(page.match(/### launch-all/g)).toHaveLength(1);
    expect(page).not.toContain("0.1 …");
  });

  it("keeps the figures of measures that were not run again, in the order of the table", () => {
    const hot: Result = { name: "hot", missing: "no room" };
    const page = withFigures(withFigures("# Results\n", run(hot)), run(launch(0.9)));
    expect(page.indexOf("### launch-all")).toBeLessThan(page.indexOf("### hot"));
    expect(page).toContain("Missing: no room");
  });

  it("does not change when the same is written again", () => {
    const page = withFigures("# Results\n", run(launch(0.9), { name: "hot", missing: "x" }));
    expect(withFigures(page, run(launch(0.9)))).toBe(page);
  });
});
