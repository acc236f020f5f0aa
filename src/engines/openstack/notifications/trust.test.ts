import { beforeEach, describe, expect, it } from "vitest";
import { Trust } from "./trust.ts";

let now: number;
let trust: Trust;
beforeEach(() => {
  now = 0;
  trust = new Trust(() => now);
});

const hint = (machineId: string, status: string) => ({ machineId, status });

describe("trust in notifications", () => {
  it("is earned by the first one of a connection", () => {
    trust.noteAnswer([hint("m1", "ACTIVE")]);
    expect(trust.isEarned).toBe(false);
    trust.noteHint(hint("m1", "ACTIVE"));
    expect(trust.isEarned).toBe(true);
    trust.reset();
    expect(trust.isEarned).toBe(false);
  });

  it("stays where Nova shows what was told, or a notification comes a moment later, or a state passes", () => {
    trust.noteHint(hint("m1", "ACTIVE"));
    trust.noteAnswer([hint("m1", "ACTIVE"), hint("m2", "SHUTOFF")]);
    trust.noteAnswer([hint("m1", "REBOOT")]);
    trust.noteAnswer([hint("m1", "SHUTOFF")]);
    trust.noteHint(hint("m1", "SHUTOFF"));
    trust.noteAnswer([]);
    expect(trust.isEarned).toBe(true);
  });

  it("is lost for ten minutes by a change that was not told", () => {
    trust.noteHint(hint("m1", "BUILD"));
    trust.noteAnswer([hint("m1", "ACTIVE")]);
    expect(trust.isEarned).toBe(true);
    trust.noteHint(hint("m2", "ACTIVE"));
    trust.noteAnswer([]);
    expect(trust.isEarned).toBe(false);
    now += 599_999;
    expect(trust.isEarned).toBe(false);
    now += 1;
    expect(trust.isEarned).toBe(true);
  });

  it("is not lost by what was told of an earlier connection", () => {
    trust.noteHint(hint("m1", "ACTIVE"));
    trust.reset();
    trust.noteAnswer([hint("m1", "SHUTOFF")]);
    trust.noteAnswer([]);
    trust.noteHint(hint("m1", "SHUTOFF"));
    expect(trust.isEarned).toBe(true);
  });
});
