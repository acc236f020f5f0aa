import { describe, expect, it } from "vitest";
import { Seen } from "../readiness/cached-observation.ts";
import type { Domain } from "./domains.ts";
import { reportOf } from "./report.ts";

const base: Domain = {
  machineId: "m",
  power: "running",
  reason: undefined,
  address: "10.0.0.7",
  run: "3",
  copied: undefined,
};

function report(part: Partial<Domain>, seen = new Seen()) {
  return reportOf("h1", seen, { ...base, ...part });
}

function seenAs(usable: boolean): Seen {
  const seen = new Seen();
  seen.note("m", "3", "10.0.0.7", usable);
  return seen;
}

describe("the report on a machine", () => {
  it("that is off is halted, without an address, whatever was seen of it", () => {
    expect(report({ power: "off", run: undefined }, seenAs(true))).toEqual({
      id: "m",
      host: "h1",
      power: "halted",
      usable: false,
      ip: undefined,
      progress: undefined,
    });
  });

  it("that runs has its address, and is usable once that was seen in this run", () => {
    expect(report({})).toMatchObject({ power: "running", usable: false, ip: "10.0.0.7" });
    expect(report({}).progress).toMatch(/SSH/);
    expect(report({}, seenAs(false)).usable).toBe(false);
    expect(report({}, seenAs(true))).toMatchObject({ usable: true, ip: "10.0.0.7", progress: undefined });
    expect(report({ run: "4" }, seenAs(true)).usable).toBe(false);
  });

  it("whose guest has ended is halted, while its host still puts away what ran it", () => {
    expect(report({ power: "ending" }, seenAs(true))).toEqual(report({ power: "off" }, seenAs(true)));
  });

  it("that is held is starting, without an address", () => {
    expect(report({ power: "paused" }, seenAs(true))).toMatchObject({
      power: "starting",
      usable: false,
      ip: undefined,
    });
  });
});
