import { describe, expect, it } from "vitest";
import { findingJson, findingLine, summaryLine } from "./finding-line.ts";

const fine = { what: "API", verdict: "ok", detail: "lxd 5.0.2", advice: undefined } as const;
const bad = { what: "image debian-12", verdict: "problem", detail: "not there", advice: "import it" } as const;
const doubtful = { ...bad, verdict: "warning" } as const;

describe("a finding", () => {
  it("is one line in columns, with advice at the end", () => {
    expect(findingLine(fine)).toBe("ok       API              lxd 5.0.2");
    expect(findingLine(bad)).toBe("problem  image debian-12  not there: import it");
  });

  it("is one JSON object that names its engine, also by the name of former versions", () => {
    expect(findingJson("north", fine)).toBe(
      '{"engine":"north","cluster":"north","what":"API","verdict":"ok","detail":"lxd 5.0.2"}',
    );
    expect(JSON.parse(findingJson("north", bad))).toEqual({ engine: "north", cluster: "north", ...bad });
  });
});

describe("the last line", () => {
  it("says whether the engine is fit, and counts what is not", () => {
    expect(summaryLine("north", [fine])).toBe("north is ready.");
    expect(summaryLine("north", [fine, doubtful, doubtful])).toBe("north is ready, 2 warnings.");
    expect(summaryLine("north", [bad, doubtful])).toBe("north is not ready: 1 problem, 1 warning.");
    expect(summaryLine("north", [bad, bad])).toBe("north is not ready: 2 problems.");
  });
});
