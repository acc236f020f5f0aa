import { describe, expect, it } from "vitest";
import { measureNames } from "./measures.ts";
import { parseOptions } from "./options.ts";

describe("npm run bench", () => {
  it("without anything measures everything, and writes the results", () => {
    expect(parseOptions([])).toMatchObject({ measures: measureNames, json: false, quick: false, write: true });
  });

  it.each([["--quick"], ["--scale"], ["--only", "list"], ["--profile", "there"]])(
    "%s is not the whole, so it leaves the results as they are",
    (...args) => expect(parseOptions(args).write).toBe(false),
  );

  it("writes the results of a part when told to", () => {
    expect(parseOptions(["--only", "list", "--write"]).write).toBe(true);
  });

  it.each(["--help", "-h"])("%s asks for the usage, and is no mistake", (flag) => {
    expect(parseOptions([flag]).help).toBe(true);
  });

  it("measures what it is told to, in the table's order", () => {
    expect(parseOptions(["--only", "launch, list"]).measures).toEqual(["list", "launch"]);
  });

  it("measures a million instances, or up to as many as told", () => {
    expect(parseOptions(["--only", "million"]).upTo).toBeUndefined();
    expect(parseOptions(["--up-to", "100000"]).upTo).toBe(100_000);
    expect(() => parseOptions(["--up-to", "some"])).toThrow("--up-to needs a number");
  });

  it("names what there is when asked for something else", () => {
    expect(() => parseOptions(["--only", "lunch"])).toThrow(/"lunch" is no measure. There are: list, types/);
    expect(() => parseOptions(["--loud"])).toThrow("--loud");
  });

  it("knows what needs the large world", () => {
    expect(parseOptions(["--scale"]).measures).toEqual([
      "types",
      "scale",
      "waiting",
      "rest",
      "hosts",
      "flapping",
      "openstack",
      "sweep",
      "metrics",
      "million",
      "console",
    ]);
  });
});
